// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// EXTRACT: a tar stream put below a directory while it arrives. Every step is one name relative to a directory that is open
// already and no link is gone through, so whatever the archive says, nothing outside of the directory is touched.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "path.h"
#include "proto.h"
#include "tar.h"

// An open directory on the way to where the archive is at.
struct level {
  int fd;
  size_t length;              // of its path in `current`
  bool made;                  // by the archive: its mode and time are set when it is left
  mode_t mode;
  struct timespec mtime;
};

enum { TRAILER_MAX = 1024 * 1024 };

uint64_t files_extracted;

static struct level levels[ARCHIVE_DEPTH_MAX + 1];
static int depth;
static char current[PATH_BYTES_MAX + 1];

static uint8_t in[FRAME_DATA];
static size_t in_at, in_filled;
static int input;

static struct tar_entry entry;
static struct tar_overrides overrides;

static void __attribute__((noreturn, format(printf, 2, 3))) reject(int error, const char *format, ...) {
  char reason[160], name[201];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  const char *full = overrides.has_name ? overrides.name : entry.name;
  snprintf(name, sizeof name, "%.200s", full);
  for (char *at = name; *at; at++) {
    if ((unsigned char)*at < ' ' || *at == 0x7f) *at = '?';
  }
  files_fail(error, "extract %s: %s (%llu entries before it are in place)", name, reason, (unsigned long long)files_extracted);
}

// What is there of the next bytes, at most `most`; 0 at the end of the stream.
static size_t next(uint64_t most, const uint8_t **bytes) {
  while (in_at == in_filled) {
    ssize_t got = read(input, in, sizeof in);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) files_fail(errno, "extract: input");
    if (!got) return 0;
    in_at = 0;
    in_filled = (size_t)got;
  }
  size_t length = in_filled - in_at < most ? in_filled - in_at : (size_t)most;
  *bytes = in + in_at;
  in_at += length;
  return length;
}

static void take(void *to, size_t length) {
  const uint8_t *bytes;
  for (uint8_t *at = to; length;) {
    size_t got = next(length, &bytes);
    if (!got) reject(EINVAL, "the archive ends early");
    memcpy(at, bytes, got);
    at += got;
    length -= got;
  }
}

static void skip_padding(uint64_t size) {
  uint8_t padding[TAR_BLOCK];
  take(padding, (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

static void leave(void) {
  struct level *level = &levels[depth--];
  if (level->made) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, level->mtime};
    if (fchmod(level->fd, level->mode) || futimens(level->fd, times)) files_fail(errno, "extract %.*s", (int)level->length, current);
  }
  close(level->fd);
}

// Opens the directory `name` in the present one; one that is not there is made.
static void descend(const char *name, size_t length, const mode_t *mode) {
  int parent = levels[depth].fd;
  if (depth == ARCHIVE_DEPTH_MAX) reject(ENAMETOOLONG, "over %d directories deep", ARCHIVE_DEPTH_MAX);
  bool made = !mkdirat(parent, name, mode ? 0700 : 0755);
  if (!made && errno != EEXIST) reject(errno, "make the directory %.100s", name);
  int fd = openat(parent, name, (made ? O_RDONLY : O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) reject(ELOOP, "%.100s in its way is a link or no directory", name);
  if (fd < 0) reject(errno, "open the directory %.100s", name);
  levels[++depth] = (struct level){.fd = fd, .length = length, .made = made && mode};
  if (!mode) return;
  levels[depth].mode = *mode & 03777;
  levels[depth].mtime = entry.mtime;
}

// Goes to the directory `path`, the first `length` bytes of a clean name; the last one gets the mode, if there is one.
static void enter(const char *path, size_t length, const mode_t *mode) {
  for (; depth; leave()) {
    size_t own = levels[depth].length;
    bool within = own <= length && !memcmp(path, current, own) && (own == length || path[own] == '/');
    if (within) break;
  }
  memcpy(current, path, length);
  while (levels[depth].length < length) {
    char name[NAME_MAX + 1];
    size_t from = levels[depth].length ? levels[depth].length + 1 : 0;
    size_t to = from + strcspn(path + from, "/");
    if (to > length) to = length;
    if (to - from > NAME_MAX) reject(ENAMETOOLONG, "a name in it is over %d bytes", NAME_MAX);
    snprintf(name, sizeof name, "%.*s", (int)(to - from), path + from);
    descend(name, to, to == length ? mode : NULL);
  }
}

// Goes to the parent of `path`; gives the last name.
static const char *enter_parent(const char *path) {
  const char *slash = strrchr(path, '/');
  enter(path, slash ? (size_t)(slash - path) : 0, NULL);
  return slash ? slash + 1 : path;
}

// Makes room for an entry that is no directory. A file takes no link's place: what is asked for is then not what is there.
static void make_room(const char *name, bool for_link) {
  struct stat status;
  int parent = levels[depth].fd;
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW)) {
    if (errno != ENOENT) reject(errno, "look at what is there");
    return;
  }
  if (S_ISDIR(status.st_mode)) reject(EISDIR, "a directory is in its place");
  if (S_ISLNK(status.st_mode) && !for_link) reject(ELOOP, "a link is in its place");
  if (unlinkat(parent, name, 0) && errno != ENOENT) reject(errno, "replace what is there");
}

static void copy_data(int fd, const char *name) {
  const uint8_t *bytes;
  size_t got;
  for (uint64_t left = entry.size; left; left -= got) {
    got = next(left, &bytes);
    int error = got ? 0 : EINVAL;
    for (size_t done = 0; !error && done < got;) {
      ssize_t wrote = write(fd, bytes + done, got - done);
      if (wrote < 0 && errno != EINTR) error = errno;
      if (wrote > 0) done += (size_t)wrote;
    }
    if (!error) continue;
    unlinkat(levels[depth].fd, name, 0);
    reject(error, got ? "write it" : "the archive ends early");
  }
}

static void put_file(const char *path) {
  const char *name = enter_parent(path);
  make_room(name, false);
  int fd = openat(levels[depth].fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry.mode & 0777);
  if (fd < 0) reject(errno, "make it");
  copy_data(fd, name);
  struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, entry.mtime};
  if (futimens(fd, times) || close(fd)) reject(errno, "finish it");
  skip_padding(entry.size);
}

static void put_link(const char *path) {
  const char *name = enter_parent(path);
  if (!*entry.link) reject(EINVAL, "the link points nowhere");
  make_room(name, true);
  if (symlinkat(entry.link, levels[depth].fd, name)) reject(errno, "make the link");
  struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, entry.mtime};
  if (utimensat(levels[depth].fd, name, times, AT_SYMLINK_NOFOLLOW)) reject(errno, "finish the link");
}

// The directory of a clean name below the top, entered without making anything and without going through links.
static int open_parent(char *path, const char **name) {
  int directory = levels[0].fd;
  for (char *slash; (slash = strchr(path, '/')); path = slash + 1) {
    *slash = 0;
    int below = openat(directory, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) reject(errno == ENOTDIR ? ELOOP : errno, "what it is a hard link to is not in the directory");
    if (directory != levels[0].fd) close(directory);
    directory = below;
  }
  *name = path;
  return directory;
}

static void put_hard_link(const char *path) {
  char target[PATH_BYTES_MAX + 1];
  const char *flaw = tar_clean(entry.link, target), *target_name;
  if (flaw || !*target) reject(EINVAL, "the hard link leads out of the directory");
  if (!strcmp(target, path)) reject(EINVAL, "it is a hard link to itself");
  int directory = open_parent(target, &target_name);
  struct stat status;
  if (fstatat(directory, target_name, &status, AT_SYMLINK_NOFOLLOW)) reject(errno, "what it is a hard link to is not there");
  if (!S_ISREG(status.st_mode)) reject(ELOOP, "what it is a hard link to is no file");
  const char *name = enter_parent(path);
  make_room(name, false);
  if (linkat(directory, target_name, levels[depth].fd, name, 0)) reject(errno, "make the hard link");
  if (directory != levels[0].fd) close(directory);
}

static void place(const char *path) {
  if (entry.type == TAR_DIRECTORY) {
    mode_t mode = entry.mode;
    return enter(path, strlen(path), &mode);
  }
  if (!*path) reject(EINVAL, "only a directory may be the top");
  if (entry.type == TAR_FILE || entry.type == TAR_CONTIGUOUS) return put_file(path);
  if (entry.type == TAR_LINK) return put_link(path);
  put_hard_link(path);
}

static const char *kind_of(char type) {
  switch (type) {
    case '3': case '4': return "devices are not taken";
    case '6': return "pipes are not taken";
    case 'S': return "sparse entries are not taken";
    default: return "an entry of this type is not taken";
  }
}

// What is refused whatever the place.
static void judge(const struct file_job *job, uint64_t bytes) {
  bool file = entry.type == TAR_FILE || entry.type == TAR_CONTIGUOUS;
  bool other = entry.type == TAR_DIRECTORY || entry.type == TAR_LINK || entry.type == TAR_HARD_LINK;
  uint64_t most = job->request->length < INT64_MAX ? job->request->length : INT64_MAX;
  if (!file && !other) reject(EPERM, "%s", kind_of(entry.type));
  if (file && entry.mode & 06000) reject(EPERM, "it would run as another user or group");
  if (other && entry.size) reject(EINVAL, "only a file has a size");
  if (bytes > most || entry.size > most - bytes) reject(EFBIG, "over %llu bytes in all", (unsigned long long)most);
  if (files_extracted >= job->request->entries) reject(EFBIG, "over %u entries", job->request->entries);
}

static uint64_t put_entry(const struct file_job *job, uint64_t bytes) {
  char path[PATH_BYTES_MAX + 1];
  tar_apply(&overrides, &entry);
  judge(job, bytes);
  const char *flaw = tar_clean(entry.name, path);
  if (flaw) reject(EINVAL, "%s", flaw);
  place(path);
  files_extracted++;
  return entry.size;
}

static void take_records(void) {
  static char records[TAR_RECORDS_MAX];
  if (entry.size > sizeof records) reject(EFBIG, "its records are too long");
  size_t length = (size_t)entry.size;
  take(records, length);
  skip_padding(length);
  const char *flaw = NULL;
  struct tar_overrides global = {0};
  if (entry.type == TAR_PAX) flaw = tar_parse_pax(records, length, &overrides);
  else if (entry.type == TAR_PAX_GLOBAL) flaw = tar_parse_pax(records, length, &global);
  else flaw = tar_parse_long(records, length, &overrides, entry.type == TAR_LONG_LINK);
  if (global.has_name || global.has_link || global.has_size) flaw = "records for all entries may not name one";
  if (flaw) reject(EINVAL, "%s", flaw);
}

static bool is_record(char type) { return type == TAR_PAX || type == TAR_PAX_GLOBAL || type == TAR_LONG_NAME || type == TAR_LONG_LINK; }

// What follows the end of an archive fills its last record up; the sender must be able to send it.
static void drain(void) {
  const uint8_t *bytes;
  size_t drained = 0, got;
  while ((got = next(sizeof in, &bytes)) && (drained += got) <= TRAILER_MAX) continue;
  if (got) files_fail(EFBIG, "extract: over %d bytes follow the archive's end", TRAILER_MAX);
}

static uint64_t extract(const struct file_job *job) {
  uint64_t bytes = 0;
  for (;;) {
    struct tar_header header;
    take(&header, sizeof header);
    if (tar_is_end(&header)) return bytes;
    const char *flaw = tar_parse(&header, &entry);
    if (flaw) reject(EINVAL, "%s", flaw);
    if (is_record(entry.type)) take_records();
    else bytes += put_entry(job, bytes);
  }
}

uint64_t files_extract(const struct file_job *job) {
  if (job->flags & EXTRACT_PARENTS) files_make_parents(job->path);
  if (job->flags & EXTRACT_PARENTS && mkdir(job->path, 0755) && errno != EEXIST) files_fail(errno, "make %s", job->path);
  int top = path_open(job->path, O_PATH | O_DIRECTORY, 0);
  if (top < 0) files_fail(-top, "extract into %s", job->path);
  levels[0].fd = top;
  input = job->pipes.input;
  files_started();
  uint64_t bytes = extract(job);
  while (depth) leave();
  drain();
  return bytes;
}
