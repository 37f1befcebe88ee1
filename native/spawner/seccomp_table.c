// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "seccomp.h"

#include <sys/syscall.h>

// The allow-list. Refused on purpose and therefore absent: namespaces and mounts (unshare, setns, mount, umount2,
// pivot_root, chroot, the fs* and *mount* families), kernel keyrings, bpf, perf_event_open, userfaultfd, io_uring,
// fanotify, file handles, modules, kexec, swap, quota, clock setting, host names, port I/O, lookup of kernel state.

// Numbers that the C library's headers may lack.
enum {
  CALL_CACHESTAT = 451,
  CALL_FCHMODAT2 = 452,
  CALL_MAP_SHADOW_STACK = 453,
  CALL_FUTEX_WAKE = 454,
  CALL_FUTEX_WAIT = 455,
  CALL_FUTEX_REQUEUE = 456,
  CALL_STATMOUNT = 457,
  CALL_LISTMOUNT = 458,
  CALL_LSM_GET_SELF_ATTR = 459,
  CALL_LSM_SET_SELF_ATTR = 460,
  CALL_LSM_LIST_MODULES = 461,
  CALL_MSEAL = 462,
  CALL_SETXATTRAT = 463,
  CALL_GETXATTRAT = 464,
  CALL_LISTXATTRAT = 465,
  CALL_REMOVEXATTRAT = 466,
  CALL_FILE_GETATTR = 468,
  CALL_FILE_SETATTR = 469,
};

#define A(name) {SYS_##name, ALLOW}

// clang-format off
const struct rule seccomp_rules[] = {
  // Files by descriptor
  A(read), A(write), A(pread64), A(pwrite64), A(readv), A(writev), A(preadv), A(pwritev), A(preadv2), A(pwritev2),
  A(lseek), A(close), A(close_range), A(dup), A(dup2), A(dup3), A(fcntl), A(flock), A(fsync), A(fdatasync),
  A(sync_file_range), A(syncfs), A(truncate), A(ftruncate), A(fallocate), A(fadvise64), A(readahead), A(sendfile),
  A(copy_file_range), A(splice), A(tee), A(vmsplice), A(getdents), A(getdents64), {CALL_CACHESTAT, ALLOW},
  // Files by name
  A(open), A(openat), A(openat2), A(creat), A(stat), A(fstat), A(lstat), A(newfstatat), A(statx), A(statfs),
  A(fstatfs), A(access), A(faccessat), A(faccessat2), A(mkdir), A(mkdirat), A(rmdir), A(rename), A(renameat),
  A(renameat2), A(link), A(linkat), A(unlink), A(unlinkat), A(symlink), A(symlinkat), A(readlink), A(readlinkat),
  A(chmod), A(fchmod), A(fchmodat), {CALL_FCHMODAT2, ALLOW}, A(chown), A(fchown), A(lchown), A(fchownat), A(mknod),
  A(mknodat), A(umask), A(utime), A(utimes), A(futimesat), A(utimensat), A(getcwd), A(chdir), A(fchdir),
  // Extended attributes
  A(setxattr), A(lsetxattr), A(fsetxattr), A(getxattr), A(lgetxattr), A(fgetxattr), A(listxattr), A(llistxattr),
  A(flistxattr), A(removexattr), A(lremovexattr), A(fremovexattr), {CALL_SETXATTRAT, ALLOW}, {CALL_GETXATTRAT, ALLOW},
  {CALL_LISTXATTRAT, ALLOW}, {CALL_REMOVEXATTRAT, ALLOW},
  // Memory
  A(mmap), A(mprotect), A(munmap), A(mremap), A(msync), A(mincore), A(madvise), A(process_madvise), A(brk), A(mlock),
  A(mlock2), A(munlock), A(mlockall), A(munlockall), A(memfd_create), A(pkey_alloc), A(pkey_free), A(pkey_mprotect),
  A(get_mempolicy), A(set_mempolicy), {CALL_MAP_SHADOW_STACK, ALLOW}, {CALL_MSEAL, ALLOW},
  // Waiting for things
  A(poll), A(ppoll), A(select), A(pselect6), A(epoll_create), A(epoll_create1), A(epoll_ctl), A(epoll_wait),
  A(epoll_pwait), A(epoll_pwait2), A(pipe), A(pipe2), A(eventfd), A(eventfd2), A(signalfd), A(signalfd4),
  A(timerfd_create), A(timerfd_settime), A(timerfd_gettime), A(inotify_init), A(inotify_init1), A(inotify_add_watch),
  A(inotify_rm_watch),
  // Processes and threads
  A(fork), A(vfork), {SYS_clone, CHECK_CLONE}, {SYS_clone3, MISSING}, A(execve), A(execveat), A(exit), A(exit_group),
  A(wait4), A(waitid), A(kill), A(tkill), A(tgkill), A(pidfd_open), A(pidfd_send_signal), A(pidfd_getfd), A(getpid),
  A(getppid), A(gettid), A(setpgid), A(getpgid), A(getpgrp), A(setsid), A(getsid), A(set_tid_address),
  A(set_robust_list), A(get_robust_list), A(rseq), A(membarrier), A(futex), A(futex_waitv), {CALL_FUTEX_WAKE, ALLOW},
  {CALL_FUTEX_WAIT, ALLOW}, {CALL_FUTEX_REQUEUE, ALLOW}, A(arch_prctl), {SYS_prctl, CHECK_PRCTL},
  {SYS_personality, CHECK_PERSONALITY}, A(ptrace), A(process_vm_readv), A(process_vm_writev), A(seccomp),
  A(landlock_create_ruleset), A(landlock_add_rule), A(landlock_restrict_self), A(restart_syscall),
  // Signals
  A(rt_sigaction), A(rt_sigprocmask), A(rt_sigreturn), A(rt_sigpending), A(rt_sigtimedwait), A(rt_sigqueueinfo),
  A(rt_tgsigqueueinfo), A(rt_sigsuspend), A(sigaltstack), A(pause),
  // Scheduling and limits
  A(sched_yield), A(sched_setparam), A(sched_getparam), A(sched_setscheduler), A(sched_getscheduler),
  A(sched_get_priority_max), A(sched_get_priority_min), A(sched_rr_get_interval), A(sched_setaffinity),
  A(sched_getaffinity), A(sched_setattr), A(sched_getattr), A(getpriority), A(setpriority), A(ioprio_set),
  A(ioprio_get), A(getrlimit), A(setrlimit), A(prlimit64), A(getrusage), A(times), A(getcpu),
  // Time
  A(nanosleep), A(clock_nanosleep), A(clock_gettime), A(clock_getres), A(gettimeofday), A(time), A(alarm),
  A(getitimer), A(setitimer), A(timer_create), A(timer_settime), A(timer_gettime), A(timer_getoverrun),
  A(timer_delete),
  // Users
  A(getuid), A(geteuid), A(getgid), A(getegid), A(setuid), A(setgid), A(setreuid), A(setregid), A(setresuid),
  A(getresuid), A(setresgid), A(getresgid), A(setfsuid), A(setfsgid), A(getgroups), A(setgroups), A(capget),
  A(capset),
  // Sockets
  {SYS_socket, CHECK_SOCKET}, {SYS_socketpair, CHECK_SOCKET}, A(bind), A(listen), A(accept), A(accept4), A(connect),
  A(shutdown), A(getsockname), A(getpeername), A(setsockopt), A(getsockopt), A(sendto), A(recvfrom), A(sendmsg),
  A(recvmsg), A(sendmmsg), A(recvmmsg),
  // System V and POSIX interprocess communication
  A(shmget), A(shmat), A(shmctl), A(shmdt), A(semget), A(semop), A(semctl), A(semtimedop), A(msgget), A(msgsnd),
  A(msgrcv), A(msgctl), A(mq_open), A(mq_unlink), A(mq_timedsend), A(mq_timedreceive), A(mq_notify),
  A(mq_getsetattr),
  // Devices, the system
  {SYS_ioctl, CHECK_IOCTL}, A(uname), A(sysinfo), A(getrandom),
  // A file system's dirty pages are everybody's: flushing them all for one sandbox would stall its neighbours
  {SYS_sync, PRETEND},
  // Present in the kernel, and answered as absent so that programs use what they used before
  {SYS_io_setup, MISSING}, {SYS_io_destroy, MISSING}, {SYS_io_submit, MISSING}, {SYS_io_cancel, MISSING},
  {SYS_io_getevents, MISSING}, {SYS_io_pgetevents, MISSING}, {SYS_memfd_secret, MISSING}, {CALL_STATMOUNT, MISSING},
  {CALL_LISTMOUNT, MISSING}, {CALL_LSM_GET_SELF_ATTR, MISSING}, {CALL_LSM_SET_SELF_ATTR, MISSING},
  {CALL_LSM_LIST_MODULES, MISSING}, {CALL_FILE_GETATTR, MISSING}, {CALL_FILE_SETATTR, MISSING},
};
// clang-format on

const size_t seccomp_rule_count = sizeof seccomp_rules / sizeof *seccomp_rules;
