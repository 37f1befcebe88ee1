// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "blank.h"
#include "kernel.h"
#include "masks.h"
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The child's way from a copy of the spawner to the agent of a blank sandbox. Each step is a function; the order is
// what makes it safe: the filter is last, and nothing of the spawner's is open when the agent begins.

enum { LISTENER = 3, CGROUP = 4, PROGRAM = 5, HIGH = 10, OPEN_FILES_MOST = 524288, SHARED_MEMORY_LEAST = 64 << 20 };

static int await_release(int channel, struct fault *fault) {
  char byte;
  return read(channel, &byte, 1) == 1 ? 0 : fail_with(fault, STEP_MAPS, EPIPE, "the spawner did not release us");
}

/// The keyring is made while we still are the host's root, whose quota of keys does not run out at 200.
static int become_root(struct fault *fault) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0) {
    return fail(fault, STEP_IDENTITY, "make a session keyring");
  }
  if (setgroups(0, NULL) != 0 || setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) {
    return fail(fault, STEP_IDENTITY, "become the sandbox's root");
  }
  // Only now: our cgroups are the sandbox's, and become the root of what it can see.
  return unshare(CLONE_NEWCGROUP) == 0 ? 0 : fail(fault, STEP_IDENTITY, "make a cgroup namespace");
}

static int attach(const char *type, const char *to, unsigned long flags, const char *options, struct fault *fault) {
  int result = mount(type, to, type, MS_NOSUID | MS_NOEXEC | flags, options);
  return result == 0 ? 0 : fail(fault, STEP_MOUNTS, "mount %s on %s", type, to);
}

static int bind_tree(const char *from, const char *to, unsigned long flags, struct fault *fault) {
  int result = mount(from, to, NULL, MS_BIND | flags, NULL);
  return result == 0 ? 0 : fail(fault, STEP_MOUNTS, "bind %s on %s", from, to);
}

/// Stacks a clone of the blank root over itself (the original is locked to our mount table) and goes there.
static int enter_blank_root(struct fault *fault) {
  int tree = tree_clone(AT_FDCWD, "/blank", 0);
  if (tree < 0 || mount_move(tree, AT_FDCWD, "/blank", 0) != 0 || fchdir(tree) != 0) {
    return fail(fault, STEP_MOUNTS, "stack the blank root");
  }
  close(tree);
  return 0;
}

void shared_memory_options(const struct limits *limits, char *options) {
  uint64_t half = limits->memory_bytes / 2;
  uint64_t size = half > SHARED_MEMORY_LEAST ? half : SHARED_MEMORY_LEAST;
  snprintf(options, SHARED_MEMORY_ROOM, "mode=1777,size=%llu", (unsigned long long)size);
}

static int mount_devices(const struct blank *blank, struct fault *fault) {
  char options[SHARED_MEMORY_ROOM];
  shared_memory_options(&blank->limits, options);
  if (mount_move(blank->devices, AT_FDCWD, "dev", 0) != 0) {
    return fail(fault, STEP_MOUNTS, "mount the devices");
  }
  if (attach("devpts", "dev/pts", 0, TERMINALS, fault) != 0 ||
      attach("tmpfs", "dev/shm", MS_NODEV, options, fault) != 0) {
    return -1;
  }
  return attach("mqueue", "dev/mqueue", MS_NODEV, NULL, fault);
}

static int show_limits(const struct cgroups *cgroups, const struct blank *blank, struct fault *fault) {
  char from[ID_ROOM + 40];
  char to[48];
  bool hybrid = cgroups_hybrid(cgroups);
  snprintf(from, sizeof from, "/cgroup/unified/%s/%s", class_names[blank->class], blank->id);
  if (bind_tree(from, hybrid ? "sys/fs/cgroup/unified" : "sys/fs/cgroup", 0, fault) != 0) {
    return -1;
  }
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (cgroups->place[i] != IN_V1) {
      continue;
    }
    snprintf(from, sizeof from, "/cgroup/%s/%s/%s", controller_names[i], class_names[blank->class], blank->id);
    snprintf(to, sizeof to, "sys/fs/cgroup/%s", controller_names[i]);
    if (bind_tree(from, to, 0, fault) != 0) {
      return -1;
    }
  }
  return 0;
}

/// No user namespace may be made inside: the one door to capabilities that seccomp alone would guard.
static int forbid_user_namespaces(struct fault *fault) {
  int result = write_file(AT_FDCWD, "proc/sys/user/max_user_namespaces", "0");
  return result == 0 ? 0 : fail(fault, STEP_MOUNTS, "forbid user namespaces");
}

static int mount_all(const struct host *host, const struct blank *blank, struct fault *fault) {
  if (enter_blank_root(fault) != 0 || attach("proc", "proc", MS_NODEV, NULL, fault) != 0 ||
      bind_tree("/sys", "sys", MS_REC, fault) != 0 || mount_devices(blank, fault) != 0) {
    return -1;
  }
  if (show_limits(&host->cgroups, blank, fault) != 0 || forbid_user_namespaces(fault) != 0) {
    return -1;
  }
  return masks_on_proc(fault);
}

static int pivot(struct fault *fault) {
  if (root_pivot(".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) {
    return fail(fault, STEP_PIVOT, "make the blank root the root");
  }
  return 0;
}

static int name_and_loopback(const struct blank *blank, struct fault *fault) {
  if (sethostname(blank->id, strlen(blank->id)) != 0) {
    return fail(fault, STEP_NETWORK, "set the host name %s", blank->id);
  }
  return loopback_up() == 0 ? 0 : fail(fault, STEP_NETWORK, "set the loopback interface up");
}

/// Puts `from` on `to`; every source was moved above HIGH first, so that none is overwritten.
static bool place(int from, int to, int flags) {
  return dup3(from, to, flags) == to;
}

static int arrange_descriptors(const struct host *host, const struct blank *blank, int *channel, struct fault *fault) {
  int listener = fcntl(blank->listener, F_DUPFD_CLOEXEC, HIGH);
  int cgroup = fcntl(blank->cgroup, F_DUPFD_CLOEXEC, HIGH);
  int program = fcntl(host->agent, F_DUPFD_CLOEXEC, HIGH);
  int moved = fcntl(*channel, F_DUPFD_CLOEXEC, HIGH);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  null = null < 0 ? -1 : fcntl(null, F_DUPFD_CLOEXEC, HIGH);
  if (listener < 0 || cgroup < 0 || program < 0 || moved < 0 || null < 0) {
    return fail(fault, STEP_DESCRIPTORS, "duplicate the agent's descriptors");
  }
  bool placed = place(null, 0, 0) && place(null, 1, 0) && place(null, 2, 0) && place(listener, LISTENER, 0) &&
                place(cgroup, CGROUP, 0) && place(program, PROGRAM, O_CLOEXEC) && place(moved, PROGRAM + 1, O_CLOEXEC);
  *channel = PROGRAM + 1;
  if (!placed || syscall(SYS_close_range, PROGRAM + 2, ~0U, 0) != 0) {
    return fail(fault, STEP_DESCRIPTORS, "place the agent's descriptors");
  }
  return 0;
}

static int cap_limit(int resource, rlim_t most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) {
    return -1;
  }
  limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit);
}

/// Process state that is inherited through execve: session, mask of new files, limits, signals.
static int reset_process(struct fault *fault) {
  sigset_t none;
  sigemptyset(&none);
  umask(022);
  setsid();
  if (cap_limit(RLIMIT_NOFILE, OPEN_FILES_MOST) != 0 || cap_limit(RLIMIT_CORE, 0) != 0 ||
      cap_limit(RLIMIT_RTPRIO, 0) != 0 || cap_limit(RLIMIT_NICE, 0) != 0) {
    return fail(fault, STEP_PRIVILEGES, "set the resource limits");
  }
  if (signal(SIGCHLD, SIG_DFL) == SIG_ERR || signal(SIGPIPE, SIG_DFL) == SIG_ERR ||
      sigprocmask(SIG_SETMASK, &none, NULL) != 0) {
    return fail(fault, STEP_PRIVILEGES, "reset the signals");
  }
  return 0;
}

static int drop_privileges(struct fault *fault) {
  static const unsigned kept[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID,
                                  CAP_KILL,  CAP_SETGID,       CAP_SETUID, CAP_NET_BIND_SERVICE};
  uint32_t mask = 0;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    mask |= 1U << kept[i];
  }
  for (unsigned capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    bool keep = capability < 32 && (mask >> capability & 1) != 0;
    if (!keep && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
      return fail(fault, STEP_PRIVILEGES, "drop capability %u", capability);
    }
  }
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {{.effective = mask, .permitted = mask}};
  if (syscall(SYS_capset, &header, data) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(fault, STEP_PRIVILEGES, "drop the capabilities");
  }
  return 0;
}

static int become_agent(int channel, struct fault *fault) {
  static char *const nothing[] = {NULL};
  if (seccomp_install() != 0) {
    return fail(fault, STEP_SECCOMP, "install the system call filter");
  }
  // So that the spawner tells an executed agent from a child that was killed: both close the channel.
  if (write(channel, "", 1) != 1) {
    return fail(fault, STEP_EXEC, "say that the blank is ready");
  }
  syscall(SYS_execveat, PROGRAM, "", nothing, nothing, AT_EMPTY_PATH);
  return fail(fault, STEP_EXEC, "execute the agent");
}

int blank_become(const struct host *host, const struct blank *blank, int *channel, struct fault *fault) {
  if (await_release(*channel, fault) != 0 || become_root(fault) != 0 || mount_all(host, blank, fault) != 0 ||
      pivot(fault) != 0 || name_and_loopback(blank, fault) != 0) {
    return -1;
  }
  if (arrange_descriptors(host, blank, channel, fault) != 0 || reset_process(fault) != 0 ||
      drop_privileges(fault) != 0) {
    return -1;
  }
  return become_agent(*channel, fault);
}
