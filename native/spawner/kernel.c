// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int tree_clone(int directory, const char *path, unsigned flags) {
  return (int)syscall(SYS_open_tree, directory, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);
}

int mount_move(int mount, int directory, const char *path, unsigned flags) {
  return (int)syscall(SYS_move_mount, mount, "", directory, path, MOVE_MOUNT_F_EMPTY_PATH | flags);
}

int mount_move_path(const char *from, int to) {
  return (int)syscall(SYS_move_mount, AT_FDCWD, from, to, "", MOVE_MOUNT_T_EMPTY_PATH);
}

int mount_attributes(int mount, const char *path, uint64_t set, int user_namespace) {
  struct mount_attr attributes = {.attr_set = set};
  if (set & MOUNT_ATTR_IDMAP) {
    attributes.userns_fd = (uint64_t)user_namespace;
  }
  unsigned flags = *path == 0 ? AT_EMPTY_PATH : 0;
  return (int)syscall(SYS_mount_setattr, mount, path, flags, &attributes, sizeof attributes);
}

int filesystem_open(const char *type) {
  return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

int filesystem_string(int context, const char *key, const char *value) {
  return (int)syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, key, value, 0);
}

int filesystem_fd(int context, const char *key, int fd) {
  return (int)syscall(SYS_fsconfig, context, FSCONFIG_SET_FD, key, NULL, fd);
}

int filesystem_flag(int context, const char *key) {
  return (int)syscall(SYS_fsconfig, context, FSCONFIG_SET_FLAG, key, NULL, 0);
}

int filesystem_mount(int context, unsigned attributes) {
  if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) {
    return -1;
  }
  return (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
}

int root_pivot(const char *new_root, const char *old_root) {
  return (int)syscall(SYS_pivot_root, new_root, old_root);
}

static int open_resolved(int directory, const char *path, int flags, uint64_t resolve) {
  struct open_how how = {
      .flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW),
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | resolve,
  };
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int open_beneath(int directory, const char *path, int flags) {
  return open_resolved(directory, path, flags, 0);
}

int open_beneath_same_mount(int directory, const char *path, int flags) {
  return open_resolved(directory, path, flags, RESOLVE_NO_XDEV);
}

int process_descriptor(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

int process_signal(int descriptor, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0);
}

int write_file(int directory, const char *path, const char *text) {
  int fd = openat(directory, path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    return -1;
  }
  ssize_t length = (ssize_t)strlen(text);
  ssize_t written = write(fd, text, (size_t)length);
  int error = written >= 0 ? EIO : errno;
  close(fd);
  errno = error;
  return written == length ? 0 : -1;
}

ssize_t read_file(int directory, const char *path, char *to, size_t room) {
  int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return -1;
  }
  size_t used = 0;
  ssize_t count = 1;
  while (count > 0 && used < room - 1) {
    count = read(fd, to + used, room - 1 - used);
    used += count > 0 ? (size_t)count : 0;
  }
  int error = errno;
  to[used] = 0;
  close(fd);
  errno = error;
  return count < 0 ? -1 : (ssize_t)used;
}

int loopback_up(void) {
  struct ifreq request = {.ifr_flags = IFF_UP | IFF_RUNNING};
  strcpy(request.ifr_name, "lo");
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return -1;
  }
  int result = ioctl(fd, SIOCSIFFLAGS, &request);
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
