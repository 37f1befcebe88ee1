// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// ARCHIVE: a directory, or a single entry, as a tar stream that is made while it is sent.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "files.h"
#include "path.h"
#include "proto.h"
#include "tar.h"

enum { OUT_BYTES = 64 * 1024, RECORDS_ROOM = 2 * PATH_BYTES_MAX + 512 };

static const off_t HOLES_MAX = (off_t)1 << 30;
static const uint64_t USTAR_SIZE_MAX = 077777777777, USTAR_ID_MAX = 07777777;

static uint8_t out[OUT_BYTES];
static size_t out_bytes;
static int output;
static char path[PATH_BYTES_MAX + 1];  // of the entry, below the archive's top

static void flush(void) {
  files_put(output, out, out_bytes, "output");
  out_bytes = 0;
}

static void put(const void *bytes, size_t length) {
  for (const uint8_t *at = bytes; length;) {
    size_t part = length < sizeof out - out_bytes ? length : sizeof out - out_bytes;
    memcpy(out + out_bytes, at, part);
    out_bytes += part;
    at += part;
    length -= part;
    if (out_bytes == sizeof out) flush();
  }
}

static void pad(uint64_t length) {
  static const uint8_t zeros[TAR_BLOCK];
  put(zeros, (TAR_BLOCK - length % TAR_BLOCK) % TAR_BLOCK);
}

static void __attribute__((noreturn)) fail(int error) { files_fail(error, "archive %.300s", *path ? path : "."); }

static void octal(char *field, size_t size, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%0*llo", (int)size - 1, (unsigned long long)value);
  memcpy(field, digits, size);
}

static void finish(struct tar_header *header) {
  memcpy(header->magic, "ustar", 6);
  memcpy(header->version, "00", 2);
  memset(header->checksum, ' ', sizeof header->checksum);
  unsigned sum = 0;
  for (size_t i = 0; i < sizeof *header; i++) sum += ((const uint8_t *)header)[i];
  octal(header->checksum, sizeof header->checksum - 1, sum);
  put(header, sizeof *header);
}

static char records[RECORDS_ROOM];
static size_t record_bytes;

static size_t digits(size_t number) { return (size_t)snprintf(NULL, 0, "%zu", number); }

static void add_record(const char *key, const char *value) {
  size_t bare = strlen(key) + strlen(value) + 3, length = bare;
  while (length != bare + digits(length)) length = bare + digits(length);
  record_bytes += (size_t)snprintf(records + record_bytes, sizeof records - record_bytes, "%zu %s=%s\n", length, key, value);
}

static void add_number(const char *key, uint64_t value, uint64_t most) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  if (value > most) add_record(key, text);
}

static void add_time(const struct timespec *time) {
  char text[48];
  time_t seconds = time->tv_sec;
  long nanos = time->tv_nsec;
  bool negative = seconds < 0;
  if (negative && nanos) {
    seconds++;
    nanos = 1000000000 - nanos;
  }
  snprintf(text, sizeof text, "%s%lld.%09ld", negative ? "-" : "", (long long)(negative ? -seconds : seconds), nanos);
  if (nanos || negative) add_record("mtime", text);
}

// What does not fit an entry's header goes ahead of it.
static void put_records(const char *name, const char *link, const struct stat *status) {
  struct tar_header header = {.type = TAR_PAX, .name = "././@PaxHeader"};
  record_bytes = 0;
  if (strlen(name) > sizeof header.name) add_record("path", name);
  if (strlen(link) > sizeof header.link) add_record("linkpath", link);
  if (S_ISREG(status->st_mode)) add_number("size", (uint64_t)status->st_size, USTAR_SIZE_MAX);
  add_number("uid", status->st_uid, USTAR_ID_MAX);
  add_number("gid", status->st_gid, USTAR_ID_MAX);
  add_time(&status->st_mtim);
  if (!record_bytes) return;
  octal(header.mode, sizeof header.mode, 0644);
  octal(header.size, sizeof header.size, record_bytes);
  finish(&header);
  put(records, record_bytes);
  pad(record_bytes);
}

static void put_header(char type, const char *name, const char *link, const struct stat *status) {
  struct tar_header header = {.type = type};
  uint64_t size = S_ISREG(status->st_mode) ? (uint64_t)status->st_size : 0;
  uint64_t seconds = status->st_mtim.tv_sec < 0 ? 0 : (uint64_t)status->st_mtim.tv_sec;
  put_records(name, link, status);
  memcpy(header.name, name, strnlen(name, sizeof header.name));
  memcpy(header.link, link, strnlen(link, sizeof header.link));
  octal(header.mode, sizeof header.mode, status->st_mode & 07777);
  octal(header.uid, sizeof header.uid, status->st_uid > USTAR_ID_MAX ? 0 : status->st_uid);
  octal(header.gid, sizeof header.gid, status->st_gid > USTAR_ID_MAX ? 0 : status->st_gid);
  octal(header.size, sizeof header.size, size > USTAR_SIZE_MAX ? 0 : size);
  octal(header.mtime, sizeof header.mtime, seconds > USTAR_SIZE_MAX ? 0 : seconds);
  finish(&header);
}

// Whether the file is more hole than anybody wants to be sent as zeros.
static bool is_mostly_holes(int fd, const struct stat *status) {
  off_t holes = 0, at = 0, data;
  if (status->st_size - status->st_blocks * 512 <= HOLES_MAX) return false;
  while (at >= 0 && at < status->st_size && holes <= HOLES_MAX) {
    data = lseek(fd, at, SEEK_DATA);
    if (data < 0 && errno != ENXIO) return false;
    if (data < 0) data = status->st_size;
    holes += data - at;
    at = lseek(fd, data, SEEK_HOLE);
  }
  return holes > HOLES_MAX;
}

static void put_file(int fd) {
  struct stat status;
  if (fstat(fd, &status)) fail(errno);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  if (is_mostly_holes(fd, &status)) files_fail(EFBIG, "archive %.300s: a sparse file with over 1 GiB of holes", path);
  if (lseek(fd, 0, SEEK_SET)) fail(errno);
  put_header(TAR_FILE, path, "", &status);
  for (uint64_t left = (uint64_t)status.st_size; left;) {
    size_t room = sizeof out - out_bytes;
    ssize_t got = read(fd, out + out_bytes, left < room ? (size_t)left : room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (!got) files_fail(ESTALE, "archive %.300s: it became shorter meanwhile", path);
    out_bytes += (size_t)got;
    left -= (uint64_t)got;
    if (out_bytes == sizeof out) flush();
  }
  pad((uint64_t)status.st_size);
}

static void put_directory(int fd, size_t length, int depth);

static void put_link(int directory, const char *name, const struct stat *status) {
  char target[PATH_BYTES_MAX + 1];
  ssize_t length = readlinkat(directory, name, target, sizeof target - 1);
  if (length < 0 && errno == ENOENT) return;
  if (length < 0) fail(errno);
  target[length] = 0;
  put_header(TAR_LINK, path, target, status);
}

// What cannot be opened without waiting or has no place in an archive is told, never left out.
static void put_entry(int directory, const char *name, size_t length, int depth) {
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW)) {
    if (errno != ENOENT) fail(errno);
    return;
  }
  if (S_ISLNK(status.st_mode)) return put_link(directory, name, &status);
  bool below = S_ISDIR(status.st_mode);
  if (!below && !S_ISREG(status.st_mode)) files_fail(EINVAL, "archive %.300s: no file, directory or link", path);
  int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (below ? O_DIRECTORY : 0));
  if (fd < 0 && errno != ENOENT) fail(errno);
  if (fd >= 0 && below) put_directory(fd, length, depth + 1);
  else if (fd >= 0) put_file(fd);
  if (fd >= 0) close(fd);
}

static void put_directory(int fd, size_t length, int depth) {
  struct stat status;
  if (depth > ARCHIVE_DEPTH_MAX) fail(ENAMETOOLONG);
  if (fstat(fd, &status)) fail(errno);
  if (length + 2 >= sizeof path) fail(ENAMETOOLONG);
  strcpy(path + length, length ? "/" : "./");
  put_header(TAR_DIRECTORY, path, "", &status);
  struct directory entries = {.fd = fd};
  size_t start = length ? length + 1 : 0;
  for (const char *name; (name = directory_next(&entries)); path[length] = 0) {
    size_t longer = start + strlen(name);
    if (longer >= sizeof path) fail(ENAMETOOLONG);
    strcpy(path + start, name);
    if (start) path[start - 1] = '/';
    put_entry(fd, name, longer, depth);
  }
  path[length] = 0;
  if (entries.error && entries.error != ENOENT) fail(entries.error);
}

static void put_top(const struct file_job *job) {
  const char *slash = strrchr(job->path, '/');
  int fd = path_open(job->path, O_RDONLY | O_DIRECTORY, 0);
  if (fd >= 0) return put_directory(fd, 0, 0);
  if (fd != -ENOTDIR) files_fail(-fd, "archive %s", job->path);
  char *parent = strndup(job->path, (size_t)(slash - job->path) + 1);
  int directory = parent ? path_open(parent, O_PATH | O_DIRECTORY, 0) : -ENOMEM;
  if (directory < 0) files_fail(-directory, "archive %s", job->path);
  snprintf(path, sizeof path, "%s", slash + 1);
  put_entry(directory, path, strlen(path), 0);
}

uint64_t files_archive(const struct file_job *job) {
  static const uint8_t end[2 * TAR_BLOCK];
  output = job->pipes.output;
  put_top(job);
  put(end, sizeof end);
  flush();
  return 0;
}
