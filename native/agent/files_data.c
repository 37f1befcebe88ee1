// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// READ, CHECKSUM and WRITE.
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "path.h"
#include "proto.h"
#include "sha256.h"

enum { LOCK_WAIT_MS = 2000, LOCK_PAUSE_MS = 10 };

static uint8_t block[FRAME_DATA];

static const char *verb_of(const struct file_job *job) {
  switch (job->type) {
    case READ: return "read";
    case CHECKSUM: return "checksum";
    default: return "write";
  }
}

int files_open_regular(const struct file_job *job, int flags, struct stat *status) {
  const char *verb = verb_of(job);
  int fd = path_open(job->path, flags | O_NONBLOCK | O_NOCTTY, job->request->mode & 07777);
  if (fd < 0) files_fail(fd == -ENXIO || fd == -ENODEV ? EINVAL : -fd, "%s %s", verb, job->path);
  if (fstat(fd, status)) files_fail(errno, "%s %s", verb, job->path);
  if (S_ISDIR(status->st_mode)) files_fail(EISDIR, "%s %s", verb, job->path);
  if (!S_ISREG(status->st_mode)) files_fail(EINVAL, "%s %s", verb, job->path);
  return fd;
}

// How far the file goes: to its size of now, so that one that grows has an end; files that the kernel makes up as they are
// read say size 0 and have their own end.
static uint64_t end_of(int fd, const struct stat *status) {
  struct statfs system;
  if (status->st_size || fstatfs(fd, &system)) return (uint64_t)status->st_size;
  switch ((unsigned long)system.f_type) {
    case PROC_SUPER_MAGIC: case SYSFS_MAGIC: case CGROUP_SUPER_MAGIC: case CGROUP2_SUPER_MAGIC: return UINT64_MAX;
    default: return 0;
  }
}

// The next bytes of at most `left`; 0 at the end.
static size_t get(int fd, uint64_t left, const struct file_job *job) {
  for (;;) {
    ssize_t got = read(fd, block, left < sizeof block ? (size_t)left : sizeof block);
    if (got >= 0) return (size_t)got;
    if (errno != EINTR) files_fail(errno, "%s %s", verb_of(job), job->path);
  }
}

uint64_t files_read(const struct file_job *job) {
  struct stat status;
  int fd = files_open_regular(job, O_RDONLY, &status);
  uint64_t offset = job->request->offset, end = end_of(fd, &status);
  if (offset >= end || offset > INT64_MAX) return 0;
  if (offset && lseek(fd, (off_t)offset, SEEK_SET) < 0) files_fail(errno, "read %s", job->path);
  uint64_t left = job->request->length < end - offset ? job->request->length : end - offset;
  for (size_t got; left && (got = get(fd, left, job)); left -= got) files_put(job->pipes.output, block, got, "output");
  return 0;
}

uint64_t files_checksum(const struct file_job *job) {
  struct stat status;
  int fd = files_open_regular(job, O_RDONLY, &status);
  uint64_t left = end_of(fd, &status), bytes = 0;
  struct sha256 hash;
  sha256_init(&hash);
  for (size_t got; left && (got = get(fd, left, job)); left -= got, bytes += got) sha256_add(&hash, block, got);
  uint8_t record[4 + 8 + SHA256_BYTES];
  struct wire_out out = {record, record + sizeof record, false};
  put_u32(&out, 8 + SHA256_BYTES);
  put_u64(&out, bytes);
  sha256_end(&hash, out.at);
  files_put(job->pipes.output, record, sizeof record, "output");
  return 0;
}

// One writer at a time, so that two never mix; a second one waits for a short first one.
static void lock(int fd, const struct file_job *job) {
  const struct timespec pause = {0, LOCK_PAUSE_MS * 1000000};
  for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += LOCK_PAUSE_MS) {
    if (errno == EWOULDBLOCK && waited >= LOCK_WAIT_MS) files_fail(EBUSY, "write %s: somebody else is writing it", job->path);
    if (errno != EWOULDBLOCK) return;
    nanosleep(&pause, NULL);
  }
}

static void resume(int fd, const struct file_job *job) {
  struct stat status;
  uint64_t offset = job->request->offset;
  if (fstat(fd, &status)) files_fail(errno, "write %s", job->path);
  if (offset > (uint64_t)status.st_size) files_fail(EINVAL, "write %s: shorter than the offset", job->path);
  if (ftruncate(fd, (off_t)offset) || lseek(fd, (off_t)offset, SEEK_SET) < 0) files_fail(errno, "write %s", job->path);
}

static int flags_of(const struct file_request *request) {
  switch (request->how) {
    case WRITE_CREATE: return O_WRONLY | O_CREAT | O_EXCL;
    case WRITE_APPEND: return O_WRONLY | O_CREAT | O_APPEND;
    case WRITE_RESUME: return O_WRONLY | (request->offset ? 0 : O_CREAT);
    default: return O_WRONLY | O_CREAT;
  }
}

uint64_t files_write(const struct file_job *job) {
  if (job->flags & WRITE_PARENTS) files_make_parents(job->path);
  struct stat status;
  int fd = files_open_regular(job, flags_of(job->request), &status);
  lock(fd, job);
  if (job->request->how == WRITE_RESUME || job->request->how == WRITE_TRUNCATE) resume(fd, job);
  files_started();
  uint64_t written = 0;
  for (size_t got; (got = get(job->pipes.input, sizeof block, job)); written += got) files_put(fd, block, got, job->path);
  if (close(fd)) files_fail(errno, "write %s", job->path);
  return written;
}
