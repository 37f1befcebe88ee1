// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// READ and WRITE.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "files.h"
#include "path.h"
#include "proto.h"

static uint8_t block[FRAME_DATA];

static void write_fully(int fd, const uint8_t *bytes, size_t length, const char *what) {
  while (length) {
    ssize_t wrote = write(fd, bytes, length);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) files_fail(errno, "write %s", what);
    bytes += wrote;
    length -= (size_t)wrote;
  }
}

// Opens a regular file and nothing else, never waiting for it.
static int open_regular(const struct file_job *job, int flags) {
  const char *verb = job->type == READ ? "read" : "write";
  int fd = path_open(job->path, flags | O_NONBLOCK | O_NOCTTY, job->request->mode & 07777);
  if (fd < 0) files_fail(fd == -ENXIO || fd == -ENODEV ? EINVAL : -fd, "%s %s", verb, job->path);
  struct stat status;
  if (fstat(fd, &status)) files_fail(errno, "%s %s", verb, job->path);
  if (S_ISDIR(status.st_mode)) files_fail(EISDIR, "%s %s", verb, job->path);
  if (!S_ISREG(status.st_mode)) files_fail(EINVAL, "%s %s", verb, job->path);
  return fd;
}

uint64_t files_read(const struct file_job *job) {
  int fd = open_regular(job, O_RDONLY);
  uint64_t left = job->request->length;
  if (job->request->offset > INT64_MAX) return 0;
  if (job->request->offset && lseek(fd, (off_t)job->request->offset, SEEK_SET) < 0) files_fail(errno, "read %s", job->path);
  while (left) {
    ssize_t got = read(fd, block, left < sizeof block ? (size_t)left : sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) files_fail(errno, "read %s", job->path);
    if (!got) break;
    write_fully(job->pipes.output, block, (size_t)got, "output");
    left -= (uint64_t)got;
  }
  return 0;
}

static void resume(int fd, const struct file_job *job) {
  struct stat status;
  uint64_t offset = job->request->offset;
  if (fstat(fd, &status)) files_fail(errno, "write %s", job->path);
  if (offset > (uint64_t)status.st_size) files_fail(EINVAL, "write %s: shorter than the offset", job->path);
  if (ftruncate(fd, (off_t)offset) || lseek(fd, (off_t)offset, SEEK_SET) < 0) files_fail(errno, "write %s", job->path);
}

static int open_target(const struct file_job *job) {
  switch (job->request->how) {
    case WRITE_CREATE: return open_regular(job, O_WRONLY | O_CREAT | O_EXCL);
    case WRITE_APPEND: return open_regular(job, O_WRONLY | O_CREAT | O_APPEND);
    case WRITE_RESUME: return open_regular(job, O_WRONLY | (job->request->offset ? 0 : O_CREAT));
    default: return open_regular(job, O_WRONLY | O_CREAT);
  }
}

uint64_t files_write(const struct file_job *job) {
  if (job->flags & WRITE_PARENTS) files_make_parents(job->path);
  int fd = open_target(job);
  if (job->request->how == WRITE_RESUME || job->request->how == WRITE_TRUNCATE) resume(fd, job);
  files_started();
  uint64_t written = 0;
  for (;;) {
    ssize_t got = read(job->pipes.input, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) files_fail(errno, "write %s", job->path);
    if (!got) break;
    write_fully(fd, block, (size_t)got, job->path);
    written += (uint64_t)got;
  }
  if (close(fd)) files_fail(errno, "write %s", job->path);
  return written;
}
