// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "devices.h"
#include "host.h"
#include "kernel.h"
#include "masks.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

// The spawner's world. Every blank begins as a copy of this mount table, so it is kept small and holds nothing secret:
//
//   /proc       the host's, bare: a user namespace may mount proc only while it sees one that hides nothing
//   /sys        a sysfs of an empty network namespace, read-only and masked; blanks bind the whole tree
//   /dev        six harmless nodes, read-only; blanks have others, of their own
//   /blank      the root of a blank: empty directories, read-only
//   /mask       an empty file and an empty directory, read-only, to hide things behind
//   /skeleton   the lowest layer of every sandbox: the directories that must exist, owned by the sandbox's root
//   /cgroup/*   the node's cgroup trees, read-only, for blanks to show their own limits; /cgroup-v2 the writable v2 one

static int step(int result, struct fault *fault, const char *what) {
  return result == 0 ? 0 : fail(fault, STEP_START, "%s", what);
}

static int directory(const char *path, mode_t mode, struct fault *fault) {
  return step(mkdir(path, mode), fault, path);
}

static int tmpfs(const char *path, const char *options, struct fault *fault) {
  return step(mount("tmpfs", path, "tmpfs", MS_NOSUID, options), fault, path);
}

static int attributes(const char *path, uint64_t set, struct fault *fault) {
  return step(mount_attributes(AT_FDCWD, path, set, -1), fault, path);
}

/// A bind of one directory with attributes of its own, from a descriptor or a path of the old root.
static int bind_with(int from, const char *path, const char *to, uint64_t set, struct fault *fault) {
  int tree = tree_clone(from, path, *path == 0 ? TREE_OF_DESCRIPTOR : 0);
  if (tree < 0 || (set != 0 && mount_attributes(tree, "", set, -1) != 0) || mount_move(tree, AT_FDCWD, to, 0) != 0) {
    return fail(fault, STEP_START, "bind %s", to);
  }
  close(tree);
  return 0;
}

static int make_dev(struct fault *fault) {
  int devices = devices_mount(fault);
  if (devices < 0 || directory("dev", 0755, fault) != 0) {
    return -1;
  }
  int result = step(mount_move(devices, AT_FDCWD, "dev", 0), fault, "mount dev");
  close(devices);
  return result;
}

static int make_blank(struct fault *fault) {
  static const char *const names[] = {"blank/proc", "blank/sys", "blank/dev", "blank/aside"};
  if (directory("blank", 0755, fault) != 0 || tmpfs("blank", "mode=0755,size=64k", fault) != 0) {
    return -1;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (directory(names[i], 0555, fault) != 0) {
      return -1;
    }
  }
  return attributes("blank", MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_DEV | MOUNT_NO_EXEC, fault);
}

static int make_mask(struct fault *fault) {
  if (directory("mask", 0755, fault) != 0 || tmpfs("mask", "mode=0755,size=64k", fault) != 0) {
    return -1;
  }
  if (directory("mask/directory", 0555, fault) != 0 ||
      step(mknod("mask/file", S_IFREG | 0444, 0), fault, "mask/file")) {
    return -1;
  }
  return attributes("mask", MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_DEV | MOUNT_NO_EXEC, fault);
}

static int make_skeleton(uid_t owner, struct fault *fault) {
  static const struct {
    const char *path;
    mode_t mode;
  } entries[] = {{"skeleton", 0755},     {"skeleton/proc", 0555}, {"skeleton/sys", 0555},
                 {"skeleton/dev", 0755}, {"skeleton/etc", 0755},  {"skeleton/tmp", 01777},
                 {"skeleton/run", 0755}, {"skeleton/var", 0755},  {"skeleton/root", 0700}};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    if (directory(entries[i].path, entries[i].mode, fault) != 0 ||
        step(chown(entries[i].path, owner, owner), fault, entries[i].path) != 0) {
      return -1;
    }
  }
  return 0;
}

/// On a v2-only host a blank binds its own directory over /sys/fs/cgroup; on a hybrid one it binds each below it.
static int make_sys(const struct cgroups *cgroups, struct fault *fault) {
  static const uint64_t locked = MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_DEV | MOUNT_NO_EXEC;
  unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (directory("sys", 0555, fault) != 0 || step(mount("sysfs", "sys", "sysfs", flags, NULL), fault, "mount sysfs")) {
    return -1;
  }
  if (masks_on_sys("sys", "mask", fault) != 0) {
    return -1;
  }
  if (!cgroups_hybrid(cgroups)) {
    return 0;
  }
  if (tmpfs("sys/fs/cgroup", "mode=0755,size=64k", fault) || directory("sys/fs/cgroup/unified", 0555, fault)) {
    return -1;
  }
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    char path[40];
    snprintf(path, sizeof path, "sys/fs/cgroup/%s", controller_names[i]);
    if (cgroups->place[i] == IN_V1 && directory(path, 0555, fault) != 0) {
      return -1;
    }
  }
  return attributes("sys/fs/cgroup", locked, fault);
}

static int make_cgroup(const struct cgroups *cgroups, struct fault *fault) {
  static const uint64_t locked = MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_DEV | MOUNT_NO_EXEC;
  if (directory("cgroup", 0555, fault) || directory("cgroup/unified", 0555, fault) ||
      directory("cgroup-v2", 0555, fault) || bind_with(cgroups->v2, "", "cgroup/unified", locked, fault) ||
      bind_with(cgroups->v2, "", "cgroup-v2", 0, fault)) {
    return -1;
  }
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    char path[40];
    snprintf(path, sizeof path, "cgroup/%s", controller_names[i]);
    if (cgroups->place[i] != IN_V1) {
      continue;
    }
    if (directory(path, 0555, fault) != 0 || bind_with(cgroups->v1[i], "", path, locked, fault) != 0) {
      return -1;
    }
  }
  return 0;
}

static int fill_world(const struct host *host, struct fault *fault) {
  if (directory("proc", 0555, fault) != 0 || bind_with(AT_FDCWD, "/proc", "proc", 0, fault) != 0) {
    return -1;
  }
  if (make_dev(fault) != 0 || make_blank(fault) != 0 || make_mask(fault) != 0) {
    return -1;
  }
  if (make_skeleton(host->settings.uid_base, fault) != 0 || make_sys(&host->cgroups, fault) != 0) {
    return -1;
  }
  return make_cgroup(&host->cgroups, fault);
}

int host_make_world(const struct host *host, const char *place, struct fault *fault) {
  if (unshare(CLONE_NEWNET) != 0 || loopback_up() != 0) {
    return fail(fault, STEP_START, "make an empty network namespace");
  }
  if (mount("tmpfs", place, "tmpfs", MS_NOSUID, "mode=0755") != 0 || chdir(place) != 0) {
    return fail(fault, STEP_START, "make the spawner's root on %s", place);
  }
  mode_t mask = umask(0);
  int result = fill_world(host, fault);
  umask(mask);
  return result;
}

int host_isolate(struct host *host, struct fault *fault) {
  // The new root needs a place to stand on; <run> exists, and is covered in our namespace only.
  if (host_make_world(host, host->settings.run, fault) != 0) {
    return -1;
  }
  if (root_pivot(".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) {
    return fail(fault, STEP_START, "enter the spawner's root");
  }
  host->own_mounts = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  return host->own_mounts >= 0 ? 0 : fail(fault, STEP_START, "open our mount namespace");
}
