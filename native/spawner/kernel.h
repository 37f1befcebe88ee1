// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Attributes of a mount (the kernel's MOUNT_ATTR_*, which older C libraries lack).
enum {
  MOUNT_READ_ONLY = 0x1,
  MOUNT_NO_SUID = 0x2,
  MOUNT_NO_DEV = 0x4,
  MOUNT_NO_EXEC = 0x8,
  MOUNT_ID_MAPPED = 0x100000,
};

/// Flags of tree_clone and mount_move (AT_EMPTY_PATH, AT_RECURSIVE, MOVE_MOUNT_T_EMPTY_PATH).
enum {
  TREE_OF_DESCRIPTOR = 0x1000,
  TREE_RECURSIVE = 0x8000,
  MOVE_TO_DESCRIPTOR = 0x40,
};

/// The mount calls that the C library does not wrap; -1 and errno on failure, descriptors are close-on-exec.
int tree_clone(int directory, const char *path, unsigned flags);
int mount_move(int mount, int directory, const char *path, unsigned flags);
int mount_move_path(const char *from, int to);
int mount_attributes(int mount, const char *path, uint64_t set, int user_namespace);
int filesystem_open(const char *type);
int filesystem_string(int context, const char *key, const char *value);
int filesystem_fd(int context, const char *key, int fd);
int filesystem_flag(int context, const char *key);
int filesystem_mount(int context, unsigned attributes);
int root_pivot(const char *new_root, const char *old_root);

/// Opens a path below `directory` without following a symlink anywhere and without leaving it.
int open_beneath(int directory, const char *path, int flags);

/// The same, and refuses to cross into another mount.
int open_beneath_same_mount(int directory, const char *path, int flags);

int process_descriptor(pid_t pid);
int process_signal(int descriptor, int signal);

/// Writes a whole text into an existing file below `directory`.
int write_file(int directory, const char *path, const char *text);

/// Reads at most `room - 1` bytes and ends them with a NUL; the count, or -1.
ssize_t read_file(int directory, const char *path, char *to, size_t room);

/// Sets the loopback interface of our network namespace up.
int loopback_up(void);

/// Milliseconds of the monotonic clock.
int64_t now_ms(void);
