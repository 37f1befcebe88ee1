// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account.h"
#include "sandbox.h"

// c control, r results, b begun, i o e the command's streams, s its script.
static const char *const NAMES[] = {"c", "r", "b", "i", "o", "e", "s"};
static const char *const BASES[] = {"/dev/shm", "/tmp", "/run", "/var/tmp", "/"};

// What stands before a command's first line: the options that the shell's loop has put to rest.
static const char PROLOGUE[] = "case $__sandgate in *x*v*|*v*x*) set -xv;; *x*) set -x;; *v*) set -v;; esac; ";

static int close_all(const int *fds, int count) {
  int error = errno;
  for (int i = 0; i < count; i++) {
    if (fds[i] >= 0) close(fds[i]);
  }
  errno = error;
  return -1;
}

static bool is_fifo(int fd) {
  struct stat status;
  return !fstat(fd, &status) && S_ISFIFO(status.st_mode);
}

static int open_fifo(const struct session_files *files, const char *name, int flags) {
  int fd = openat(files->directory, name, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || is_fifo(fd)) return fd;
  close(fd);
  errno = EINVAL;
  return -1;
}

// A new named pipe in the place of whatever has the name, opened.
static int make_fifo(const struct session_files *files, const char *name, int flags) {
  if (unlinkat(files->directory, name, 0) && errno != ENOENT) return -1;
  if (mkfifoat(files->directory, name, 0600) || fchmodat(files->directory, name, 0666, 0)) return -1;
  return open_fifo(files, name, flags);
}

static bool make_directory(struct session_files *files, const struct account *account) {
  uint64_t random;
  if (getrandom(&random, sizeof random, 0) != sizeof random) return false;
  for (size_t i = 0; i < sizeof BASES / sizeof *BASES; i++) {
    snprintf(files->path, sizeof files->path, "%s/.sandgate-%016llx", BASES[i][1] ? BASES[i] : "", (unsigned long long)random);
    if (mkdir(files->path, 0700)) continue;
    files->directory = open(files->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (files->directory >= 0 && !fchown(files->directory, account->uid, account->gid)) return true;
    session_files_remove(files);
  }
  files->path[0] = 0;
  return false;
}

int session_files_make(struct session_files *files, struct text user) {
  *files = (struct session_files){.directory = -1, .control = -1};
  struct account account;
  if (!user.length) user = (struct text){sandbox.user, (uint16_t)strlen(sandbox.user)};
  // An unknown user is the shell's start to refuse.
  if (account_find(user, &account)) account.uid = account.gid = 0;
  if (!make_directory(files, &account)) return -1;
  files->control = make_fifo(files, "c", O_RDWR);
  return files->control < 0 ? -1 : make_fifo(files, "r", O_RDWR);
}

static bool write_all(int fd, const uint8_t *bytes, size_t length) {
  while (length) {
    ssize_t wrote = write(fd, bytes, length);
    if (wrote < 0) return false;
    bytes += wrote;
    length -= (size_t)wrote;
  }
  return true;
}

static bool write_script(const struct session_files *files, const uint8_t *script, size_t length) {
  if (unlinkat(files->directory, "s", 0) && errno != ENOENT) return false;
  int fd = openat(files->directory, "s", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool written = !fchmod(fd, 0644) && write_all(fd, (const uint8_t *)PROLOGUE, sizeof PROLOGUE - 1) &&
                 write_all(fd, script, length) && write_all(fd, (const uint8_t *)"\n", 1);
  close_all(&fd, 1);
  return written;
}

static bool make_input(const struct session_files *files, bool wanted, struct session_streams *streams) {
  streams->reader = streams->input = -1;
  if (!wanted) {
    if (unlinkat(files->directory, "i", 0) && errno != ENOENT) return false;
    return !symlinkat("/dev/null", files->directory, "i");
  }
  streams->reader = make_fifo(files, "i", O_RDONLY);
  if (streams->reader >= 0) streams->input = open_fifo(files, "i", O_WRONLY);
  return streams->input >= 0;
}

bool session_files_prepare(struct session_files *files, const uint8_t *script, size_t length, bool input, struct session_streams *streams) {
  *streams = (struct session_streams){{-1, -1}, -1, -1, -1};
  bool made = write_script(files, script, length) && make_input(files, input, streams);
  if (made) streams->outputs[0] = make_fifo(files, "o", O_RDONLY);
  if (made) streams->outputs[1] = make_fifo(files, "e", O_RDONLY);
  if (made) streams->begun = make_fifo(files, "b", O_RDONLY);
  if (made && streams->outputs[0] >= 0 && streams->outputs[1] >= 0 && streams->begun >= 0) return true;
  int fds[] = {streams->outputs[0], streams->outputs[1], streams->begun, streams->input, streams->reader};
  close_all(fds, 5);
  return false;
}

bool session_files_go(const struct session_files *files) { return write(files->control, "\n", 1) == 1; }

void session_files_remove(struct session_files *files) {
  if (files->control >= 0) close(files->control);
  for (size_t i = 0; files->directory >= 0 && i < sizeof NAMES / sizeof *NAMES; i++) unlinkat(files->directory, NAMES[i], 0);
  if (files->directory >= 0) close(files->directory);
  if (files->path[0]) rmdir(files->path);
  *files = (struct session_files){.directory = -1, .control = -1};
}
