// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "upper.h"
#include "bounded.h"
#include "kernel.h"
#include "trash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

// Three directories cost more than the rest of an activation on some file systems, so a few are made ahead, in
// uppers/.ready, and renamed when they are needed.

enum { READY_MOST = 64, NAME_ROOM = 24 };

static const char ready_directory[] = ".ready";
static int ready = -1;
static unsigned first_ready;
static unsigned next_ready;

const char *upper_name(const char *path) {
  static const char prefix[] = "uppers/";
  const char *name = path + strlen(prefix);
  if (strncmp(path, prefix, strlen(prefix)) != 0 || *name == '.' || *name == 0 || strchr(name, '/') != NULL) {
    return NULL;
  }
  return strlen(name) <= 255 ? name : NULL;
}

static int refuse(const char *path, struct fault *fault) {
  return fail_with(fault, STEP_UPPER, EINVAL, "the upper is uppers/ and one name, not %.100s", path);
}

static int make_inside(int parent, const char *name, uid_t owner, mode_t mode) {
  if (mkdirat(parent, name, mode) != 0) {
    return -1;
  }
  int fd = open_beneath(parent, name, O_RDONLY | O_DIRECTORY);
  // The mask of new files must not narrow what the sandbox sees as the mode of "/".
  if (fd >= 0 && (fchown(fd, owner, owner) != 0 || fchmod(fd, mode) != 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

int upper_fill(struct host *host, int parent) {
  int upper = make_inside(parent, "upper", host->settings.uid_base, 0755);
  int work = upper < 0 ? -1 : make_inside(parent, "work", 0, 0700);
  int error = errno;
  int *descriptors[] = {&upper, &work};
  int result = work >= 0 ? 0 : -1;
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
    if (*descriptors[i] >= 0) {
      close(*descriptors[i]);
    }
  }
  errno = error;
  return result;
}

/// `name` below `directory`, which must not exist, with what belongs inside.
static int make_whole(struct host *host, int directory, const char *name) {
  int parent = make_inside(directory, name, 0, 0700);
  if (parent < 0) {
    return -1;
  }
  int result = upper_fill(host, parent);
  int error = errno;
  close(parent);
  errno = error;
  return result;
}

bool upper_prepare(struct host *host) {
  char name[NAME_ROOM];
  if (ready < 0 || next_ready - first_ready >= READY_MOST) {
    return false;
  }
  snprintf(name, sizeof name, "%u", next_ready);
  if (make_whole(host, ready, name) != 0) {
    close(ready);
    ready = -1; // a full or failing disk is told to whoever activates
    return false;
  }
  next_ready++;
  return true;
}

/// Tells ext4 that the directories in this one have nothing to do with each other (the "top of directory hierarchies" flag
/// of chattr(1)), so that it spreads them. Else all are made in one group, and an ext4 without a journal looks at each inode
/// of it that was freed in the last seconds before it makes a new one. Other file systems know no such flag.
static void spread(int parent) {
  int flags;
  int directory = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0 && ioctl(directory, FS_IOC_GETFLAGS, &flags) == 0) {
    flags |= FS_TOPDIR_FL;
    (void)ioctl(directory, FS_IOC_SETFLAGS, &flags);
  }
  if (directory >= 0) {
    close(directory);
  }
}

int upper_start(struct host *host, struct fault *fault) {
  if (trash_put(host, host->uppers, ready_directory, fault) != 0) {
    return -1;
  }
  ready = make_inside(host->uppers, ready_directory, 0, 0700);
  if (ready < 0) {
    return fail(fault, STEP_START, "make uppers/%s", ready_directory);
  }
  spread(ready);
  spread(host->uppers);
  return 0;
}

/// One made ahead under the wanted name, or one made now.
static int take(struct host *host, const char *name) {
  char prepared[NAME_ROOM];
  if (first_ready == next_ready) {
    return make_whole(host, host->uppers, name);
  }
  snprintf(prepared, sizeof prepared, "%u", first_ready);
  int result = renameat2(ready, prepared, host->uppers, name, RENAME_NOREPLACE);
  if (result == 0) {
    first_ready++;
  }
  return result;
}

static int open_inside(struct host *host, const char *name, const char *below) {
  char path[NAME_MAX + NAME_ROOM];
  snprintf(path, sizeof path, "%s/%s", name, below);
  return open_beneath(host->uppers, path, O_RDONLY | O_DIRECTORY);
}

int upper_make(struct host *host, const char *path, struct upper *upper, struct fault *fault) {
  const char *name = upper_name(path);
  if (name == NULL) {
    return refuse(path, fault);
  }
  if (take(host, name) != 0) {
    return fail(fault, STEP_UPPER, "make the upper %s", path);
  }
  upper->upper = open_inside(host, name, "upper");
  upper->work = upper->upper < 0 ? -1 : open_inside(host, name, "work");
  if (upper->work < 0) {
    fail(fault, STEP_UPPER, "open the directories of %s", path);
    if (upper->upper >= 0) {
      close(upper->upper);
    }
    return -1;
  }
  return 0;
}

/// A plain upper holds the directory; a bounded one holds it in a file system of its own.
static int open_either(struct host *host, int directory, struct fault *fault) {
  int upper = open_beneath(directory, "upper", O_RDONLY | O_DIRECTORY);
  if (upper >= 0 || errno != ENOENT) {
    return upper >= 0 ? upper : fail(fault, STEP_UPPER, "open the directory of an upper");
  }
  int mount = bounded_mount(host, directory, fault);
  if (mount >= 0) {
    upper = open_beneath(mount, "upper", O_RDONLY | O_DIRECTORY);
    if (upper < 0) {
      fail(fault, STEP_UPPER, "open the directory of a bounded upper");
    }
    close(mount);
  }
  return upper;
}

int upper_open(struct host *host, const char *path, struct fault *fault) {
  const char *name = upper_name(path);
  if (name == NULL) {
    return refuse(path, fault);
  }
  int directory = open_beneath(host->uppers, name, O_RDONLY | O_DIRECTORY);
  if (directory < 0) {
    return fail(fault, STEP_UPPER, "open %.100s", path);
  }
  int upper = open_either(host, directory, fault);
  close(directory);
  return upper;
}

int upper_discard(struct host *host, const char *path, struct fault *fault) {
  const char *name = upper_name(path);
  return name == NULL ? refuse(path, fault) : trash_put(host, host->uppers, name, fault);
}
