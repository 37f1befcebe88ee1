// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// STAT, LIST, MKDIR and REMOVE.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "files.h"
#include "path.h"
#include "proto.h"

enum { LISTED_PATH_MAX = 16 * 1024, RECORD_MAX = LISTED_PATH_MAX + PATH_BYTES_MAX + 64 };

static uint8_t records[64 * 1024];
static size_t record_bytes;

static void flush_records(int fd) {
  size_t sent = 0;
  while (sent < record_bytes) {
    ssize_t wrote = write(fd, records + sent, record_bytes - sent);
    if (wrote < 0 && errno != EINTR) files_fail(errno, "output");
    if (wrote > 0) sent += (size_t)wrote;
  }
  record_bytes = 0;
}

static uint8_t type_of(mode_t mode) {
  if (S_ISREG(mode)) return ENTRY_REGULAR;
  if (S_ISDIR(mode)) return ENTRY_DIRECTORY;
  return S_ISLNK(mode) ? ENTRY_SYMLINK : ENTRY_OTHER;
}

// Adds a length and an ENTRY payload to what goes to the guest.
static void add_record(int fd, const char *path, const struct stat *status, const char *target) {
  if (sizeof records - record_bytes < RECORD_MAX) flush_records(fd);
  uint8_t *start = records + record_bytes;
  struct wire_out out = {start + 4, start + RECORD_MAX, false};
  put_text(&out, path, strlen(path));
  put_u8(&out, type_of(status->st_mode));
  put_u32(&out, status->st_mode & 07777);
  put_u32(&out, status->st_uid);
  put_u32(&out, status->st_gid);
  put_u64(&out, (uint64_t)status->st_size);
  put_u64(&out, (uint64_t)(status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec));
  put_text(&out, target, strlen(target));
  if (out.full) files_fail(ENAMETOOLONG, "entry %s", path);
  struct wire_out length = {start, start + 4, false};
  put_u32(&length, (uint32_t)(out.at - start - 4));
  record_bytes += (size_t)(out.at - start);
}

// Describes one entry; false when it vanished.
static bool describe(int output, int directory, const char *name, const char *path, struct stat *status) {
  char target[PATH_BYTES_MAX + 1] = "";
  if (fstatat(directory, name, status, AT_SYMLINK_NOFOLLOW)) return false;
  if (S_ISLNK(status->st_mode)) {
    ssize_t length = readlinkat(directory, name, target, sizeof target - 1);
    if (length < 0) return false;
    target[length] = 0;
  }
  add_record(output, path, status, target);
  return true;
}

uint64_t files_stat(const struct file_job *job) {
  struct stat status;
  if (!describe(job->pipes.output, AT_FDCWD, job->path, job->path, &status)) files_fail(errno, "stat %s", job->path);
  flush_records(job->pipes.output);
  return 0;
}

struct listing {
  int output;
  char path[LISTED_PATH_MAX];
};

static void list(struct listing *listing, int directory, size_t length, int depth);

static void list_entry(struct listing *listing, int directory, const char *name, size_t length, int depth) {
  size_t longer = length + 1 + strlen(name);
  if (longer >= sizeof listing->path) files_fail(ENAMETOOLONG, "list %.200s", listing->path);
  snprintf(listing->path + length, sizeof listing->path - length, "/%s", name);
  struct stat status;
  if (!describe(listing->output, directory, name, listing->path, &status)) {
    if (errno != ENOENT) files_fail(errno, "list %s", listing->path);
  } else if (S_ISDIR(status.st_mode) && depth > 1) {
    int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0 && errno != ENOENT) files_fail(errno, "list %s", listing->path);
    if (below >= 0) list(listing, below, longer, depth - 1);
  }
  listing->path[length] = 0;
}

static void list(struct listing *listing, int directory, size_t length, int depth) {
  struct directory entries = {.fd = directory};
  const char *name;
  while ((name = directory_next(&entries))) list_entry(listing, directory, name, length, depth);
  if (entries.error && entries.error != ENOENT) files_fail(entries.error, "list %s", listing->path);
  close(directory);
}

uint64_t files_list(const struct file_job *job) {
  static struct listing listing;
  int directory = path_open(job->path, O_RDONLY | O_DIRECTORY, 0);
  if (directory < 0) files_fail(-directory, "list %s", job->path);
  listing.output = job->pipes.output;
  size_t length = (size_t)snprintf(listing.path, sizeof listing.path, "%s", job->path);
  while (length && listing.path[length - 1] == '/') listing.path[--length] = 0;
  list(&listing, directory, length, job->request->depth);
  flush_records(listing.output);
  return 0;
}

void files_make_parents(const char *path) {
  char *prefix = strdup(path);
  for (char *slash = prefix ? strchr(prefix + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(prefix, 0755) && errno != EEXIST) files_fail(errno, "make %s", prefix);
    *slash = '/';
  }
  free(prefix);
}

uint64_t files_mkdir(const struct file_job *job) {
  mode_t mode = job->request->mode & 07777;
  bool parents = job->flags & MKDIR_PARENTS;
  if (parents) files_make_parents(job->path);
  if (mkdir(job->path, mode)) {
    struct stat status;
    int error = errno;
    if (!parents || error != EEXIST || stat(job->path, &status) || !S_ISDIR(status.st_mode)) files_fail(error, "make %s", job->path);
  } else if (mode & 06000 && chmod(job->path, mode)) {
    files_fail(errno, "make %s", job->path);
  }
  return 0;
}

static void empty(int directory, const char *path, int depth);

static bool is_gone(int result) { return !result || errno == ENOENT; }

static void remove_directory(int directory, const char *name, const char *path, int depth) {
  if (depth >= REMOVE_DEPTH_MAX) files_fail(ENAMETOOLONG, "remove %s: over %d deep", path, REMOVE_DEPTH_MAX);
  int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (below >= 0) {
    empty(below, path, depth + 1);
    close(below);
  } else if (errno != EACCES && errno != ENOENT) {
    files_fail(errno, "remove %s: %s", path, name);
  }
  if (!is_gone(unlinkat(directory, name, AT_REMOVEDIR))) files_fail(errno, "remove %s: %s", path, name);
}

void files_remove_entry(int directory, const char *name, const char *path, int depth) {
  if (is_gone(unlinkat(directory, name, 0))) return;
  if (errno != EISDIR) files_fail(errno, "remove %s: %s", path, name);
  remove_directory(directory, name, path, depth);
}

static void empty(int directory, const char *path, int depth) {
  bool found = true;
  while (found) {
    struct directory entries = {.fd = directory};
    const char *name;
    for (found = false; (name = directory_next(&entries)); found = true) files_remove_entry(directory, name, path, depth);
    if (entries.error) files_fail(entries.error, "remove %s", path);
    if (lseek(directory, 0, SEEK_SET)) files_fail(errno, "remove %s", path);
  }
}

static bool is_root(const char *path) {
  struct stat one, other;
  return !lstat(path, &one) && !lstat("/", &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

uint64_t files_remove(const struct file_job *job) {
  if (is_root(job->path)) files_fail(EBUSY, "remove %s", job->path);
  if (!unlink(job->path)) return 0;
  if (errno != EISDIR) files_fail(errno, "remove %s", job->path);
  if (job->flags & REMOVE_RECURSIVE) remove_directory(AT_FDCWD, job->path, job->path, 0);
  else if (rmdir(job->path)) files_fail(errno, "remove %s", job->path);
  return 0;
}
