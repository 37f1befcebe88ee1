// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "bounded.h"
#include "copy.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// A bounded upper is an ext4 file system in `uppers/<name>/image`, on a loop device. Its mount is in no mount table: the
// sandbox's overlay holds it, and with the overlay go the mount and the device, whoever is left to see that. Two links
// that lead nowhere keep what another spawner must find again: `device` names the loop device, `begun` tells what was
// used before the sandbox began.

enum { ATTEMPTS = 256, BLOCK = 4096, NAME_ROOM = 24 };

static int open_template(struct host *host, const char *name, struct fault *fault) {
  char path[ID_ROOM + 16];
  snprintf(path, sizeof path, ".templates/%s", name);
  int fd = open_beneath(host->uppers, path, O_RDONLY);
  return fd >= 0 ? fd : fail(fault, STEP_UPPER, "open the template uppers/%s", path);
}

/// Blocks that are only taken when they are written to may be gone by then, and nobody would be told.
static int reserve(int image, off_t size) {
  return fallocate(image, 0, 0, size);
}

static int copy_template(struct host *host, const struct bounded *bounded, int directory, struct fault *fault) {
  struct stat facts;
  int from = open_template(host, bounded->template, fault);
  if (from < 0) {
    return -1;
  }
  int image = openat(directory, "image", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (image < 0 || fstat(from, &facts) != 0 || file_copy(from, image, facts.st_size) != 0 ||
      (bounded->reserved && reserve(image, facts.st_size) != 0)) {
    fail(fault, STEP_UPPER, "make an image of the template %s", bounded->template);
    if (image >= 0) {
      close(image);
    }
    image = -1;
  }
  close(from);
  return image;
}

/// A free device may be taken by somebody else before we have it.
static int attach(struct host *host, int image, char *name, struct fault *fault) {
  struct loop_config config = {
      .fd = (uint32_t)image,
      .block_size = BLOCK,
      .info = {.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO},
  };
  int control = openat(host->devices, "loop-control", O_RDWR | O_CLOEXEC);
  int device = -1;
  errno = control < 0 ? errno : EBUSY;
  for (int i = 0; i < ATTEMPTS && control >= 0 && device < 0 && errno == EBUSY; i++) {
    snprintf(name, NAME_ROOM, "loop%d", ioctl(control, LOOP_CTL_GET_FREE));
    device = openat(host->devices, name, O_RDWR | O_CLOEXEC);
    if (device >= 0 && ioctl(device, LOOP_CONFIGURE, &config) != 0) {
      int error = errno;
      close(device);
      device = -1;
      errno = error;
    }
  }
  if (device < 0) {
    fail(fault, STEP_UPPER, "get a loop device");
  }
  if (control >= 0) {
    close(control);
  }
  return device;
}

static int mount_device(int device, struct fault *fault) {
  char source[40];
  snprintf(source, sizeof source, "/proc/self/fd/%d", device);
  int context = filesystem_open("ext4");
  if (context < 0) {
    return fail(fault, STEP_UPPER, "this kernel has no ext4");
  }
  bool set = filesystem_string(context, "source", source) == 0 &&
             filesystem_string(context, "errors", "remount-ro") == 0 &&
             filesystem_flag(context, "noinit_itable") == 0 &&
             filesystem_flag(context, "no_prefetch_block_bitmaps") == 0;
  int mount = set ? filesystem_mount(context, MOUNT_NO_SUID | MOUNT_NO_DEV) : -1;
  if (mount < 0) {
    fail(fault, STEP_UPPER, "mount the file system of an upper");
  }
  close(context);
  return mount;
}

static int mount_image(struct host *host, int directory, int image, struct fault *fault) {
  char name[NAME_ROOM];
  int device = attach(host, image, name, fault);
  if (device < 0) {
    return -1;
  }
  int mount = symlinkat(name, directory, "device") != 0 ? fail(fault, STEP_UPPER, "keep the name of %s", name)
                                                        : mount_device(device, fault);
  close(device);
  return mount;
}

static void count_room(int mount, struct report *report) {
  struct statvfs facts;
  if (fstatvfs(mount, &facts) == 0) {
    report->bytes = (uint64_t)facts.f_bavail * facts.f_frsize;
    report->entries = facts.f_ffree;
  }
}

static void fill(struct host *host, const struct bounded *bounded, int directory, struct report *report) {
  int image = copy_template(host, bounded, directory, &report->fault);
  int mount = image < 0 ? -1 : mount_image(host, directory, image, &report->fault);
  if (image >= 0) {
    close(image);
  }
  if (mount < 0) {
    return;
  }
  if (upper_fill(host, mount) != 0) {
    fail(&report->fault, STEP_UPPER, "make the directories of %.100s", bounded->upper);
    close(mount);
    return;
  }
  count_room(mount, report);
  report->carried = mount;
}

void bounded_make(struct host *host, const void *what, struct report *report) {
  const struct bounded *bounded = what;
  const char *name = upper_name(bounded->upper);
  if (mkdirat(host->uppers, name, 0700) != 0) {
    fail(&report->fault, STEP_UPPER, "make the upper %.100s", bounded->upper);
    return;
  }
  int directory = open_beneath(host->uppers, name, O_RDONLY | O_DIRECTORY);
  if (directory < 0) {
    fail(&report->fault, STEP_UPPER, "open the upper %.100s", bounded->upper);
    return;
  }
  fill(host, bounded, directory, report);
  close(directory);
}

int bounded_open(int mount, struct upper *upper, struct fault *fault) {
  upper->upper = open_beneath(mount, "upper", O_RDONLY | O_DIRECTORY);
  upper->work = upper->upper < 0 ? -1 : open_beneath(mount, "work", O_RDONLY | O_DIRECTORY);
  if (upper->work >= 0) {
    return 0;
  }
  fail(fault, STEP_UPPER, "open the directories of a bounded upper");
  if (upper->upper >= 0) {
    close(upper->upper);
  }
  return -1;
}

static int used(int mount, uint64_t *blocks, uint64_t *files, struct statvfs *facts) {
  if (fstatvfs(mount, facts) != 0) {
    return -1;
  }
  *blocks = facts->f_blocks - facts->f_bfree;
  *files = facts->f_files - facts->f_ffree;
  return 0;
}

static int open_directory(struct host *host, const char *path, struct fault *fault) {
  const char *name = upper_name(path);
  int directory = name == NULL ? -1 : open_beneath(host->uppers, name, O_RDONLY | O_DIRECTORY);
  if (directory >= 0) {
    return directory;
  }
  return name == NULL ? fail_with(fault, STEP_REQUEST, EINVAL, "the upper is uppers/ and one name, not %.100s", path)
                      : fail(fault, STEP_UPPER, "open the upper %.100s", path);
}

int bounded_begin(struct host *host, const char *path, int mount, struct fault *fault) {
  char text[2 * NAME_ROOM];
  struct statvfs facts;
  uint64_t blocks;
  uint64_t files;
  int directory = open_directory(host, path, fault);
  if (directory < 0) {
    return -1;
  }
  int result = used(mount, &blocks, &files, &facts);
  if (result == 0) {
    snprintf(text, sizeof text, "%llu:%llu", (unsigned long long)blocks, (unsigned long long)files);
    result = symlinkat(text, directory, "begun");
  }
  if (result != 0) {
    fail(fault, STEP_UPPER, "note how full %.100s is", path);
  }
  close(directory);
  return result;
}

/// The device that has the image; while it is open the kernel does not let go of the image.
static int open_device(struct host *host, int directory, const struct stat *image) {
  char name[NAME_ROOM];
  struct loop_info64 info;
  ssize_t length = readlinkat(directory, "device", name, sizeof name - 1);
  if (length < 0) {
    return -1;
  }
  name[length] = 0;
  int device = openat(host->devices, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (device < 0) {
    return -1;
  }
  bool ours = ioctl(device, LOOP_GET_STATUS64, &info) == 0 && info.lo_device == image->st_dev &&
              info.lo_inode == image->st_ino;
  if (!ours) {
    close(device);
    errno = ENODEV;
    return -1;
  }
  return device;
}

int bounded_mount(struct host *host, int directory, struct fault *fault) {
  struct stat image;
  if (fstatat(directory, "image", &image, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail(fault, STEP_UPPER, "find the image of an upper");
  }
  int device = open_device(host, directory, &image);
  if (device < 0) {
    return errno == ENOENT ? fail_with(fault, STEP_UPPER, ENODEV, "the image of an upper is on no device")
                           : fail(fault, STEP_UPPER, "open the device of an upper");
  }
  int mount = mount_device(device, fault);
  close(device);
  return mount;
}

/// What was used before the sandbox began; nothing when that was not noted.
static void read_begun(int directory, uint64_t *blocks, uint64_t *files) {
  char text[2 * NAME_ROOM];
  char *rest = text;
  ssize_t length = readlinkat(directory, "begun", text, sizeof text - 1);
  text[length > 0 ? length : 0] = 0;
  *blocks = strtoull(text, &rest, 10);
  *files = *rest == ':' ? strtoull(rest + 1, NULL, 10) : 0;
}

static int measure(int directory, int mount, struct room *room) {
  struct statvfs facts;
  uint64_t blocks;
  uint64_t files;
  uint64_t own_blocks;
  uint64_t own_files;
  if (used(mount, &blocks, &files, &facts) != 0) {
    return -1;
  }
  read_begun(directory, &own_blocks, &own_files);
  blocks = blocks > own_blocks ? blocks - own_blocks : 0;
  files = files > own_files ? files - own_files : 0;
  room->bytes = blocks * facts.f_frsize;
  room->bytes_most = (blocks + facts.f_bavail) * facts.f_frsize;
  room->inodes = files;
  room->inodes_most = files + facts.f_ffree;
  return 0;
}

int bounded_room(struct host *host, const char *path, struct room *room, struct fault *fault) {
  int directory = open_directory(host, path, fault);
  if (directory < 0) {
    return -1;
  }
  int mount = bounded_mount(host, directory, fault);
  int result = mount < 0 ? -1 : measure(directory, mount, room);
  if (mount >= 0) {
    if (result != 0) {
      fail(fault, STEP_UPPER, "see how full %.100s is", path);
    }
    close(mount);
  }
  close(directory);
  return result;
}
