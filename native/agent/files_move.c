// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// MOVE: a rename, or where the kernel refuses one (another file system, a directory of a lower layer) a copy under another
// name that takes the target's place when it is whole, and then the removal of the original.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "directory.h"
#include "files.h"
#include "proto.h"

// The job whose copy is to be removed when it cannot be finished.
static char copy_path[PATH_BYTES_MAX + 64];

static void __attribute__((noreturn)) give_up(int error, const char *name) {
  if (copy_path[0]) {
    char path[sizeof copy_path];
    strcpy(path, copy_path);
    copy_path[0] = 0;
    struct stat status;
    if (!lstat(path, &status)) files_remove_entry(AT_FDCWD, path, path, 0);
  }
  files_fail(error, "move %s", name);
}

static void need(bool holds, const char *name) {
  if (!holds) give_up(errno, name);
}

static void copy_bytes(int from, int to, const char *name) {
  static char block[64 * 1024];
  ssize_t got;
  while ((got = read(from, block, sizeof block)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    need(got > 0, name);
    for (ssize_t done = 0, wrote; done < got; done += wrote) {
      wrote = write(to, block + done, (size_t)(got - done));
      need(wrote >= 0 || errno == EINTR, name);
      if (wrote < 0) wrote = 0;
    }
  }
}

// Copies the extended attributes that both sides have room for; others than the owner may set are left.
static void copy_attributes(int from, int to, const char *name) {
  static char names[64 * 1024], value[64 * 1024];
  ssize_t length = flistxattr(from, names, sizeof names);
  need(length >= 0 || errno == ENOTSUP, name);
  for (char *at = names; at < names + length; at += strlen(at) + 1) {
    ssize_t size = fgetxattr(from, at, value, sizeof value);
    if (size >= 0 && fsetxattr(to, at, value, (size_t)size, 0)) need(errno == EPERM || errno == ENOTSUP, name);
  }
}

static void copy_status(int directory, const char *name, const struct stat *status) {
  mode_t mode = status->st_mode & 07777;
  if (fchownat(directory, name, status->st_uid, status->st_gid, AT_SYMLINK_NOFOLLOW)) {
    need(errno == EPERM, name);
    mode &= 01777;
  }
  if (!S_ISLNK(status->st_mode)) need(!fchmodat(directory, name, mode, 0), name);
  struct timespec times[2] = {status->st_atim, status->st_mtim};
  need(!utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW), name);
}

static void copy_file(int from, const char *name, int to, const char *new_name) {
  int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  need(source >= 0, name);
  int target = openat(to, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  need(target >= 0, new_name);
  copy_bytes(source, target, name);
  copy_attributes(source, target, name);
  need(!close(target), new_name);
  close(source);
}

static void copy_link(int from, const char *name, int to, const char *new_name) {
  char target[PATH_BYTES_MAX + 1];
  ssize_t length = readlinkat(from, name, target, sizeof target - 1);
  need(length >= 0, name);
  target[length] = 0;
  need(!symlinkat(target, to, new_name), new_name);
}

static void copy_entry(int from, const char *name, int to, const char *new_name, int depth);

static void copy_directory(int from, const char *name, int to, const char *new_name, int depth) {
  if (depth >= REMOVE_DEPTH_MAX) give_up(ENAMETOOLONG, name);
  int source = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  need(source >= 0, name);
  need(!mkdirat(to, new_name, 0700), new_name);
  int target = openat(to, new_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  need(target >= 0, new_name);
  struct directory entries = {.fd = source};
  const char *entry;
  while ((entry = directory_next(&entries))) copy_entry(source, entry, target, entry, depth + 1);
  if (entries.error) give_up(entries.error, name);
  copy_attributes(source, target, name);
  close(source);
  close(target);
}

static void copy_entry(int from, const char *name, int to, const char *new_name, int depth) {
  struct stat status;
  need(!fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW), name);
  if (S_ISREG(status.st_mode)) copy_file(from, name, to, new_name);
  else if (S_ISDIR(status.st_mode)) copy_directory(from, name, to, new_name, depth);
  else if (S_ISLNK(status.st_mode)) copy_link(from, name, to, new_name);
  else need(!mknodat(to, new_name, status.st_mode, status.st_rdev), new_name);
  copy_status(to, new_name, &status);
}

// Whether `to` lies in the directory `from`, by the names as they are given.
static bool is_inside(const char *to, const char *from) {
  size_t length = strlen(from);
  return !strncmp(to, from, length) && to[length] == '/';
}

static void copy_over(const struct file_job *job) {
  if (is_inside(job->to, job->path)) files_fail(EINVAL, "move %s", job->path);
  size_t length = strlen(job->to);
  while (length > 1 && job->to[length - 1] == '/') length--;
  const char *slash = memrchr(job->to, '/', length);
  snprintf(copy_path, sizeof copy_path, "%.*s.moving-%d", (int)(slash + 1 - job->to), job->to, getpid());
  copy_entry(AT_FDCWD, job->path, AT_FDCWD, copy_path, 0);
  need(!rename(copy_path, job->to), job->to);
  copy_path[0] = 0;
  files_remove_entry(AT_FDCWD, job->path, job->path, 0);
}

uint64_t files_move(const struct file_job *job) {
  if (!rename(job->path, job->to)) return 0;
  if (errno != EXDEV) files_fail(errno, "move %s", job->path);
  copy_over(job);
  return 0;
}
