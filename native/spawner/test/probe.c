// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// Tries what an escape would need and prints one line for each operation: ALLOWED, the errno or the signal. The list of
// what is allowed is compared with a golden file, so that a widened surface is a failing test. Each operation runs in
// a process of its own.

enum { NEW_TIME = 0x80, READ_IMPLIES_EXEC_PERSONALITY = 0x400000, PRCTL_SCHED_CORE = 62 };

#define PTR(value) ((long)(intptr_t)(value))
#define HERE AT_FDCWD

struct raw {
  const char *name;
  long number;
  long arguments[6];
};

static char scratch[4096];
static uint64_t attributes[16] = {0};
static uint64_t new_user_clone[11] = {CLONE_NEWUSER, [4] = SIGCHLD};
static const char root[] = "/";
static const char tmp[] = "/tmp";

static const struct raw raw_calls[] = {
    {"unshare user", SYS_unshare, {CLONE_NEWUSER}},
    {"unshare mounts", SYS_unshare, {CLONE_NEWNS}},
    {"unshare pids", SYS_unshare, {CLONE_NEWPID}},
    {"unshare network", SYS_unshare, {CLONE_NEWNET}},
    {"unshare ipc", SYS_unshare, {CLONE_NEWIPC}},
    {"unshare uts", SYS_unshare, {CLONE_NEWUTS}},
    {"unshare cgroup", SYS_unshare, {CLONE_NEWCGROUP}},
    {"unshare time", SYS_unshare, {NEW_TIME}},
    {"clone user", SYS_clone, {CLONE_NEWUSER | SIGCHLD}},
    {"clone mounts", SYS_clone, {CLONE_NEWNS | SIGCHLD}},
    {"clone network", SYS_clone, {CLONE_NEWNET | SIGCHLD}},
    {"clone3 user", SYS_clone3, {PTR(new_user_clone), sizeof new_user_clone}},
    {"setns", SYS_setns, {0, CLONE_NEWNS}},
    {"mount tmpfs", SYS_mount, {PTR("t"), PTR(tmp), PTR("tmpfs"), 0, 0}},
    {"mount proc", SYS_mount, {PTR("p"), PTR(tmp), PTR("proc"), 0, 0}},
    {"mount sysfs", SYS_mount, {PTR("s"), PTR(tmp), PTR("sysfs"), 0, 0}},
    {"mount cgroup", SYS_mount, {PTR("c"), PTR(tmp), PTR("cgroup"), 0, PTR("memory")}},
    {"mount cgroup2", SYS_mount, {PTR("c"), PTR(tmp), PTR("cgroup2"), 0, 0}},
    {"mount bind", SYS_mount, {PTR(root), PTR(tmp), 0, 4096, 0}},
    {"mount writable again", SYS_mount, {0, PTR("/proc/sys"), 0, 4096 | 32, 0}},
    {"umount /proc/sys", SYS_umount2, {PTR("/proc/sys"), 2}},
    {"umount /sys", SYS_umount2, {PTR("/sys"), 2}},
    {"pivot_root", SYS_pivot_root, {PTR(root), PTR(tmp)}},
    {"chroot", SYS_chroot, {PTR(tmp)}},
    {"open_tree clone", SYS_open_tree, {HERE, PTR(root), 1}},
    {"move_mount", SYS_move_mount, {HERE, PTR("/proc"), HERE, PTR(tmp), 0}},
    {"fsopen", SYS_fsopen, {PTR("tmpfs"), 0}},
    {"fspick", SYS_fspick, {HERE, PTR(root), 0}},
    {"mount_setattr", SYS_mount_setattr, {HERE, PTR("/proc/sys"), 0, PTR(attributes), 32}},
    {"add_key", SYS_add_key, {PTR("user"), PTR("k"), PTR("v"), 1, -3}},
    {"request_key", SYS_request_key, {PTR("user"), PTR("k"), 0, -3}},
    {"keyctl", SYS_keyctl, {0, -3, 1}},
    {"io_uring_setup", SYS_io_uring_setup, {1, PTR(scratch)}},
    {"io_setup", SYS_io_setup, {1, PTR(scratch)}},
    {"userfaultfd", SYS_userfaultfd, {1}},
    {"bpf", SYS_bpf, {0, PTR(attributes), sizeof attributes}},
    {"perf_event_open", SYS_perf_event_open, {PTR(attributes), 0, -1, -1, 0}},
    {"fanotify_init", SYS_fanotify_init, {0x200, 0}},
    {"socket unix", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}},
    {"socket tcp", SYS_socket, {AF_INET, SOCK_STREAM, 0}},
    {"socket udp6", SYS_socket, {AF_INET6, SOCK_DGRAM, 0}},
    {"socket icmp raw", SYS_socket, {AF_INET, SOCK_RAW, 1}},
    {"socket any raw", SYS_socket, {AF_INET, SOCK_RAW, 255}},
    {"socket old packet", SYS_socket, {AF_INET, SOCK_PACKET, 0}},
    {"socket packet", SYS_socket, {AF_PACKET, SOCK_RAW, 0}},
    {"socket sctp", SYS_socket, {AF_INET, SOCK_STREAM, 132}},
    {"socket mptcp", SYS_socket, {AF_INET, SOCK_STREAM, 262}},
    {"socket alg", SYS_socket, {AF_ALG, SOCK_SEQPACKET, 0}},
    {"socket vsock", SYS_socket, {AF_VSOCK, SOCK_STREAM, 0}},
    {"socket bluetooth", SYS_socket, {AF_BLUETOOTH, SOCK_RAW, 0}},
    {"socket tipc", SYS_socket, {AF_TIPC, SOCK_STREAM, 0}},
    {"socket xdp", SYS_socket, {AF_XDP, SOCK_RAW, 0}},
    {"netlink route", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_ROUTE}},
    {"netlink xfrm", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_XFRM}},
    {"netlink netfilter", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER}},
    {"netlink audit", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_AUDIT}},
    {"netlink generic", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_GENERIC}},
    {"socketpair vsock", SYS_socketpair, {AF_VSOCK, SOCK_STREAM, 0, PTR(scratch)}},
    {"name_to_handle_at", SYS_name_to_handle_at, {HERE, PTR(root), PTR(scratch), PTR(scratch + 512), 0}},
    {"open_by_handle_at", SYS_open_by_handle_at, {HERE, PTR(scratch), 0}},
    {"mknod memory", SYS_mknod, {PTR("/tmp/memory"), S_IFCHR | 0600, 0x101}},
    {"mknod disk", SYS_mknod, {PTR("/tmp/disk"), S_IFBLK | 0600, 0xfe00}},
    {"mknod fifo", SYS_mknod, {PTR("/tmp/fifo"), S_IFIFO | 0600, 0}},
    {"init_module", SYS_init_module, {PTR(scratch), 0, PTR("")}},
    {"finit_module", SYS_finit_module, {0, PTR(""), 0}},
    {"delete_module", SYS_delete_module, {PTR("x"), 0}},
    {"kexec_load", SYS_kexec_load, {0, 0, 0, 0}},
    {"reboot", SYS_reboot, {0xfee1dead, 0x28121969, 0, 0}},
    {"swapon", SYS_swapon, {PTR("/tmp/swap"), 0}},
    {"acct", SYS_acct, {0}},
    {"quotactl", SYS_quotactl, {0x800002 << 8, PTR("/dev/vda"), 0, PTR(scratch)}},
    {"syslog", SYS_syslog, {10, 0, 0}},
    {"sethostname", SYS_sethostname, {PTR("x"), 1}},
    {"setdomainname", SYS_setdomainname, {PTR("x"), 1}},
    {"settimeofday", SYS_settimeofday, {PTR(attributes), 0}},
    {"clock_settime", SYS_clock_settime, {0, PTR(attributes)}},
    {"adjtimex", SYS_adjtimex, {PTR(scratch)}},
    {"iopl", SYS_iopl, {3}},
    {"ioperm", SYS_ioperm, {0x80, 1, 1}},
    {"modify_ldt", SYS_modify_ldt, {0, PTR(scratch), 16}},
    {"personality plain", SYS_personality, {0}},
    {"personality exec", SYS_personality, {READ_IMPLIES_EXEC_PERSONALITY}},
    {"prctl sched core", SYS_prctl, {PRCTL_SCHED_CORE, 1, 0, 0, 0}},
    {"kcmp", SYS_kcmp, {1, 1, 0, 0, 0}},
    {"ptrace agent", SYS_ptrace, {PTRACE_ATTACH, 1, 0, 0}},
    {"ptrace seize agent", SYS_ptrace, {PTRACE_SEIZE, 1, 0, 0}},
    {"memfd_secret", SYS_memfd_secret, {0}},
    {"vhangup", SYS_vhangup, {0}},
    {"sync", SYS_sync, {0}},
    {"unknown call", 999, {0}},
    {"x32 call", 0x40000000 | SYS_getpid, {0}},
    {"ioctl terminal injection", SYS_ioctl, {0, 0x5412, PTR("x")}},
    {"ioctl line discipline", SYS_ioctl, {0, 0x5423, PTR(scratch)}},
    {"ioctl xfs swapext", SYS_ioctl, {0, 0xc0c0586d, PTR(scratch)}},
    {"ioctl xfs exchange range", SYS_ioctl, {0, 0x40285881, PTR(scratch)}},
    {"ioctl ext4 move extent", SYS_ioctl, {0, 0xc028660f, PTR(scratch)}},
    {"ioctl btrfs snapshot", SYS_ioctl, {0, 0x50009401, PTR(scratch)}},
    {"ioctl freeze", SYS_ioctl, {0, 0xc0045877, 0}},
    {"ioctl set project", SYS_ioctl, {0, 0x401c5820, PTR(scratch)}},
};

static int read_agent_memory(void) {
  struct iovec local = {scratch, 8};
  struct iovec remote = {(void *)0x400000, 8};
  return process_vm_readv(1, &local, 1, &remote, 1, 0) >= 0 ? 0 : -1;
}

static int take_agent_descriptor(void) {
  int process = (int)syscall(SYS_pidfd_open, 1, 0);
  return process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, 3, 0);
}

static int trace_child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    pause();
  }
  int result = ptrace(PTRACE_SEIZE, pid, 0, 0) == 0 ? 0 : -1;
  int error = errno;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  errno = error;
  return result;
}

static int open_terminal(void) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    return -1;
  }
  return open(ptsname(terminal), O_RDWR | O_NOCTTY) < 0 ? -1 : 0;
}

static int raise_open_files(void) {
  struct rlimit limit = {1000000, 1000000};
  return setrlimit(RLIMIT_NOFILE, &limit);
}

static int raise_priority(void) {
  return setpriority(PRIO_PROCESS, 0, -20);
}

static int real_time(void) {
  struct sched_param parameter = {.sched_priority = 1};
  return sched_setscheduler(0, SCHED_FIFO, &parameter);
}

static int write_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  return fd < 0 ? -1 : write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

/// Something to read there, or ENODATA.
static int read_some(const char *path) {
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ssize_t count = fd < 0 ? -1 : read(fd, scratch, sizeof scratch);
  if (count == 0) {
    errno = ENODATA;
  }
  return count > 0 ? 0 : -1;
}

static int survive_oom(void) {
  return write_text("/proc/self/oom_score_adj", "-1000");
}
static int core_pattern(void) {
  return write_text("/proc/sys/kernel/core_pattern", "|/tmp/x");
}
static int sysrq(void) {
  return write_text("/proc/sysrq-trigger", "h");
}
static int user_namespaces(void) {
  return write_text("/proc/sys/user/max_user_namespaces", "9");
}
static int kernel_memory(void) {
  return read_some("/proc/kcore");
}
static int kernel_log(void) {
  return read_some("/dev/kmsg");
}
static int kernel_log_proc(void) {
  return read_some("/proc/kmsg");
}
static int keys(void) {
  return read_some("/proc/keys");
}
static int page_flags(void) {
  return read_some("/proc/kpageflags");
}
static int page_cgroups(void) {
  return read_some("/proc/kpagecgroup");
}
static int interrupts(void) {
  return read_some("/proc/interrupts");
}
static int timers(void) {
  return read_some("/proc/timer_list");
}
static int agent_environment(void) {
  return read_some("/proc/1/environ");
}
static int agent_memory(void) {
  return read_some("/proc/1/mem");
}
static int agent_map(void) {
  return read_some("/proc/1/maps");
}
static int agent_root(void) {
  return access("/proc/1/root/etc", F_OK);
}
static int agent_program(void) {
  return open("/proc/1/exe", O_RDONLY) < 0 ? -1 : 0;
}
static int agent_socket(void) {
  return access("/proc/1/fd/3", F_OK);
}
static int agent_cgroup(void) {
  return access("/proc/1/fd/4/cgroup.procs", F_OK);
}

static void end_as_refused(int number) {
  (void)number;
  raise(SIGSYS);
}

/// The 32-bit gate: socketcall(SOCKET, {AF_VSOCK, SOCK_STREAM, 0}), which a filter for one architecture does not see.
/// A kernel without that gate faults instead; both are shown as SIGSYS.
static int old_gate(void) {
  signal(SIGSEGV, end_as_refused);
  static uint32_t arguments[3] = {AF_VSOCK, SOCK_STREAM, 0};
  long result = 102;
  __asm__ volatile("int $0x80" : "+a"(result) : "b"(1L), "c"(PTR(arguments)) : "memory", "r8", "r9", "r10", "r11");
  errno = result < 0 ? (int)-result : 0;
  return result < 0 ? -1 : 0;
}

static const struct {
  const char *name;
  int (*act)(void);
} actions[] = {
    {"read the agent's memory", read_agent_memory},
    {"take the agent's descriptor", take_agent_descriptor},
    {"trace a child", trace_child},
    {"open a terminal", open_terminal},
    {"raise the open files", raise_open_files},
    {"raise the priority", raise_priority},
    {"real time", real_time},
    {"survive the lack of memory", survive_oom},
    {"write core_pattern", core_pattern},
    {"write sysrq-trigger", sysrq},
    {"write max_user_namespaces", user_namespaces},
    {"read /proc/kcore", kernel_memory},
    {"read /dev/kmsg", kernel_log},
    {"read /proc/kmsg", kernel_log_proc},
    {"read /proc/keys", keys},
    {"read /proc/kpageflags", page_flags},
    {"read /proc/kpagecgroup", page_cgroups},
    {"read /proc/interrupts", interrupts},
    {"read /proc/timer_list", timers},
    {"read /proc/1/environ", agent_environment},
    {"read /proc/1/mem", agent_memory},
    {"read /proc/1/maps", agent_map},
    {"look through /proc/1/root", agent_root},
    {"open /proc/1/exe", agent_program},
    {"reach the agent's socket", agent_socket},
    {"reach the agent's cgroup", agent_cgroup},
    {"int 0x80 socketcall vsock", old_gate},
};

static int try_raw(const struct raw *call) {
  const long *a = call->arguments;
  long result = syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result == 0 && (call->number == SYS_clone || call->number == SYS_clone3)) {
    _exit(0);
  }
  return result < 0 ? -1 : 0;
}

static void report(const char *name, int status) {
  if (WIFSIGNALED(status)) {
    printf("%-32s SIG%s\n", name, sigabbrev_np(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) == 0) {
    printf("%-32s ALLOWED\n", name);
  } else {
    printf("%-32s %s\n", name, strerrorname_np(WEXITSTATUS(status)));
  }
}

static void run(const char *name, const struct raw *call, int (*act)(void)) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    errno = 0;
    int result = call != NULL ? try_raw(call) : act();
    _exit(result == 0 ? 0 : errno);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  report(name, status);
}

int main(void) {
  for (size_t i = 0; i < sizeof raw_calls / sizeof *raw_calls; i++) {
    run(raw_calls[i].name, &raw_calls[i], NULL);
  }
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    run(actions[i].name, NULL, actions[i].act);
  }
  return 0;
}
