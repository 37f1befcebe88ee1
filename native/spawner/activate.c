// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "activate.h"
#include "blank.h"
#include "destroy.h"
#include "kernel.h"
#include "upper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// The overlay is built in our own mount namespace, checked, and carried into the blank's; there the blank's proc, sys
// and dev, with everything mounted on them, move onto it, and it becomes the root.

static const char *const carried[] = {"proc", "sys", "dev"};
static const char *const required[] = {"proc", "sys", "dev", "etc", "tmp"};

/// Kernels before 6.13 know layers by path only; a descriptor has one in /proc.
static int set_directory(int context, const char *key, int fd) {
  if (filesystem_fd(context, key, fd) == 0) {
    return 0;
  }
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return filesystem_string(context, key, path);
}

static int add_layers(struct host *host, const struct activation *activation, int context, struct fault *fault) {
  for (size_t i = activation->layer_count; i-- > 0;) {
    int layer = layer_mount(host, activation->layers[i], fault);
    if (layer < 0) {
      return -1;
    }
    if (set_directory(context, "lowerdir+", layer) != 0) {
      return fail(fault, STEP_OVERLAY, "stack the layer %.100s", activation->layers[i]);
    }
  }
  int skeleton = open("/skeleton", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int result = skeleton < 0 ? -1 : set_directory(context, "lowerdir+", skeleton);
  if (result != 0) {
    fail(fault, STEP_OVERLAY, "stack the skeleton");
  }
  close(skeleton);
  return result;
}

/// ENOSPC or EDQUOT when nothing more can be written, else `otherwise`: a full disk makes an overlay read-only, and the
/// kernel does not say why.
static int full_or(const struct upper *upper, int otherwise) {
  static const char name[] = "room";
  struct statvfs facts;
  if (mkdirat(upper->work, name, 0700) == 0) {
    unlinkat(upper->work, name, AT_REMOVEDIR);
  } else if (errno == ENOSPC || errno == EDQUOT) {
    return errno;
  }
  if (fstatvfs(upper->work, &facts) != 0) {
    return otherwise;
  }
  bool no_blocks = facts.f_blocks > 0 && facts.f_bfree == 0;
  bool no_inodes = facts.f_files > 0 && facts.f_ffree == 0;
  return no_blocks || no_inodes ? ENOSPC : otherwise;
}

static int mount_overlay(int context, const struct upper *upper, struct fault *fault) {
  if (set_directory(context, "upperdir", upper->upper) != 0 || set_directory(context, "workdir", upper->work) != 0 ||
      filesystem_flag(context, "volatile") != 0) {
    return fail(fault, STEP_OVERLAY, "set the writable directories");
  }
  int overlay = filesystem_mount(context, MOUNT_NO_SUID | MOUNT_NO_DEV);
  if (overlay < 0) {
    char reason[160];
    int error = errno;
    ssize_t count = read(context, reason, sizeof reason - 1);
    reason[count > 0 ? count : 0] = 0;
    reason[strcspn(reason, "\n")] = 0;
    return fail_with(fault, STEP_OVERLAY, full_or(upper, error), "mount the overlay: %s", reason);
  }
  // An overlay whose work directory does not serve mounts read-only instead of failing.
  struct statvfs facts;
  if (fstatvfs(overlay, &facts) != 0 || (facts.f_flag & ST_RDONLY) != 0) {
    close(overlay);
    return fail_with(fault, STEP_OVERLAY, full_or(upper, EROFS), "the overlay came out read-only");
  }
  return overlay;
}

static int build(struct host *host, const struct activation *activation, const struct upper *upper,
                 struct fault *fault) {
  int context = filesystem_open("overlay");
  if (context < 0) {
    return fail(fault, STEP_OVERLAY, "this kernel has no overlay file system");
  }
  int overlay = add_layers(host, activation, context, fault) != 0 ? -1 : mount_overlay(context, upper, fault);
  close(context);
  return overlay;
}

/// A hostile image may hold links where directories belong; nothing is used before all are known to be real.
static int verify(int overlay, struct fault *fault) {
  for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
    int fd = open_beneath_same_mount(overlay, required[i], O_PATH | O_DIRECTORY);
    if (fd < 0) {
      return fail(fault, STEP_VERIFY, "/%s of the root is not a real directory", required[i]);
    }
    close(fd);
  }
  return 0;
}

/// Runs inside the blank's mount namespace.
static int carry_mounts(int overlay, struct fault *fault) {
  char from[8];
  for (size_t i = 0; i < sizeof carried / sizeof *carried; i++) {
    int to = open_beneath_same_mount(overlay, carried[i], O_PATH | O_DIRECTORY);
    if (to < 0) {
      return fail(fault, STEP_VERIFY, "/%s of the root is not a real directory", carried[i]);
    }
    snprintf(from, sizeof from, "/%s", carried[i]);
    int result = mount_move_path(from, to);
    if (result != 0) {
      fail(fault, STEP_SWITCH, "move %s", from);
    }
    close(to);
    if (result != 0) {
      return -1;
    }
  }
  return 0;
}

static int switch_root(int overlay, struct fault *fault) {
  if (mount_move(overlay, AT_FDCWD, "/", 0) != 0) {
    return fail(fault, STEP_SWITCH, "stack the root");
  }
  if (carry_mounts(overlay, fault) != 0) {
    return -1;
  }
  if (fchdir(overlay) != 0 || root_pivot(".", ".") != 0 || umount2(".", MNT_DETACH) != 0) {
    return fail(fault, STEP_SWITCH, "make the overlay the root");
  }
  return 0;
}

static int set_host_name(int process, const char *name, struct fault *fault) {
  if (name[0] == 0) {
    return 0;
  }
  int own = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
  if (own < 0 || setns(process, CLONE_NEWUTS) != 0) {
    return fail(fault, STEP_ENTER, "enter the host name's namespace");
  }
  int result = sethostname(name, strlen(name));
  if (result != 0) {
    fail(fault, STEP_ENTER, "set the host name %s", name);
  }
  if (setns(own, CLONE_NEWUTS) != 0) {
    _exit(1);
  }
  close(own);
  return result;
}

/// Runs inside the blank's mount namespace, where nothing but the agent has been yet.
static int resize_shared_memory(const struct activation *activation, struct fault *fault) {
  char options[SHARED_MEMORY_ROOM];
  if (!activation->limited) {
    return 0;
  }
  shared_memory_options(&activation->limits, options);
  int result = mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_NOSUID | MS_NOEXEC | MS_NODEV, options);
  return result == 0 ? 0 : fail(fault, STEP_SWITCH, "resize /dev/shm");
}

/// The visit to the blank's mount namespace; we never go on from anywhere but our own.
static int install(struct host *host, const struct activation *activation, int process, int overlay,
                   struct fault *fault) {
  if (setns(process, CLONE_NEWNS) != 0) {
    return fail(fault, STEP_ENTER, "enter the blank's mount namespace");
  }
  int result = resize_shared_memory(activation, fault);
  result = result == 0 ? switch_root(overlay, fault) : result;
  if (setns(host->own_mounts, CLONE_NEWNS) != 0) {
    _exit(1);
  }
  return result;
}

/// A descriptor of the agent, proved to be the process that the caller means: it is taken before the check.
static int find_agent(struct host *host, const struct activation *activation, struct fault *fault) {
  enum class class;
  int process = process_descriptor(activation->pid);
  if (process < 0) {
    return fail(fault, STEP_ENTER, "find the agent %d of %s", activation->pid, activation->id);
  }
  int cgroup = cgroup_find(&host->cgroups, activation->id, &class);
  bool same = cgroup >= 0 && cgroup_holds(cgroup, activation->pid);
  if (cgroup >= 0) {
    close(cgroup);
  }
  if (!same) {
    close(process);
    return fail_with(fault, STEP_ENTER, ESRCH, "process %d is not in %s", activation->pid, activation->id);
  }
  return process;
}

static int give_root(struct host *host, const struct activation *activation, int process, const struct upper *upper,
                     struct fault *fault) {
  int overlay = build(host, activation, upper, fault);
  if (overlay < 0) {
    return -1;
  }
  int result = verify(overlay, fault);
  result = result == 0 ? install(host, activation, process, overlay, fault) : result;
  close(overlay);
  return result == 0 ? set_host_name(process, activation->host_name, fault) : result;
}

/// An activated sandbox is never activated again: its root is an overlay, a blank's is not.
static int require_blank(const struct activation *activation, struct fault *fault) {
  char path[32];
  struct statfs facts;
  snprintf(path, sizeof path, "/proc/%d/root", activation->pid);
  if (statfs(path, &facts) != 0) {
    return fail(fault, STEP_ENTER, "look at the root of %s", activation->id);
  }
  if (facts.f_type == OVERLAYFS_SUPER_MAGIC) {
    return fail_with(fault, STEP_ENTER, EEXIST, "the sandbox %s has its root already", activation->id);
  }
  return 0;
}

static int find_blank(struct host *host, const struct activation *activation, struct fault *fault) {
  if (activation->disk_bytes != 0 && activation->template[0] == 0) {
    return fail_with(fault, STEP_UPPER, EOPNOTSUPP, "this node cannot limit a sandbox's disk: ask for 0");
  }
  int process = find_agent(host, activation, fault);
  if (process >= 0 && require_blank(activation, fault) != 0) {
    close(process);
    return -1;
  }
  return process;
}

/// A blank that was made ahead learns which sandbox it is before anything of that sandbox is made.
static int name_owner(struct host *host, const struct activation *activation, struct fault *fault) {
  enum class class;
  if (activation->owner[0] == 0 && !activation->limited) {
    return 0;
  }
  int cgroup = cgroup_find(&host->cgroups, activation->id, &class);
  if (cgroup < 0) {
    return fail(fault, STEP_ENTER, "find the sandbox %s", activation->id);
  }
  int result = activation->owner[0] == 0 ? 0 : cgroup_set_owner(cgroup, activation->owner, fault);
  close(cgroup);
  if (result != 0 || !activation->limited) {
    return result;
  }
  return cgroup_set_limits(&host->cgroups, class, activation->id, &activation->limits, false, fault);
}

/// Ends an activation with what it came to; an upper that was there before is another's.
static int end(struct host *host, const struct activation *activation, int result, const struct fault *fault) {
  if (result != 0) {
    bool ours = upper_name(activation->upper) != NULL && (fault->step != STEP_UPPER || fault->error != EEXIST);
    destroy_now(host, activation->id, ours ? activation->upper : "");
  }
  return result;
}

static int use(struct host *host, const struct activation *activation, int process, struct upper *upper,
               struct fault *fault) {
  int result = give_root(host, activation, process, upper, fault);
  close(upper->upper);
  close(upper->work);
  return result;
}

int activate(struct host *host, const struct activation *activation, struct fault *fault) {
  struct upper upper;
  int process = find_blank(host, activation, fault);
  if (process < 0) {
    return -1;
  }
  int result = name_owner(host, activation, fault);
  result = result == 0 ? upper_make(host, activation->upper, &upper, fault) : result;
  result = result == 0 ? use(host, activation, process, &upper, fault) : result;
  close(process);
  return end(host, activation, result, fault);
}

int activating_begin(struct host *host, struct activating *activating, struct fault *fault) {
  const struct activation *activation = &activating->activation;
  if (upper_name(activation->upper) == NULL) {
    return fail_with(fault, STEP_UPPER, EINVAL, "the upper is uppers/ and one name, not %.100s", activation->upper);
  }
  activating->process = find_blank(host, activation, fault);
  if (activating->process < 0) {
    return -1;
  }
  snprintf(activating->bounded.upper, sizeof activating->bounded.upper, "%s", activation->upper);
  snprintf(activating->bounded.template, sizeof activating->bounded.template, "%s", activation->template);
  activating->bounded.reserved = activation->reserved;
  if (name_owner(host, activation, fault) == 0 &&
      task_begin(host, &activating->task, bounded_make, &activating->bounded, fault) == 0) {
    return 0;
  }
  close(activating->process);
  return end(host, activation, -1, fault);
}

static int use_mount(struct host *host, struct activating *activating, int mount, struct fault *fault) {
  struct upper upper;
  const struct activation *activation = &activating->activation;
  if (mount < 0) {
    return fail_with(fault, STEP_UPPER, EBADF, "no mount came with the upper %.100s", activation->upper);
  }
  int result = bounded_open(mount, &upper, fault);
  result = result == 0 ? use(host, activation, activating->process, &upper, fault) : result;
  result = result == 0 ? bounded_begin(host, activation->upper, mount, fault) : result;
  close(mount);
  return result;
}

int activating_step(struct host *host, struct activating *activating, struct fault *fault) {
  static struct report report;
  int result = task_poll(&activating->task, &report, fault);
  if (result == 1) {
    return 1;
  }
  task_end(&activating->task);
  result = result == 0 ? use_mount(host, activating, report.carried, fault) : result;
  close(activating->process);
  return end(host, &activating->activation, result, fault);
}

void activating_abandon(struct host *host, struct activating *activating) {
  task_end(&activating->task);
  close(activating->process);
  destroy_now(host, activating->activation.id, activating->activation.upper);
}
