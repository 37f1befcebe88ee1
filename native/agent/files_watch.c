// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// WATCH: what happens in a directory, and in those below it, until the channel is cancelled or the directory is gone. The
// kernel's queue and the number of watched directories are bounded; what is not seen because of that is said (LOST).
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "directory.h"
#include "files.h"
#include "path.h"
#include "proto.h"

enum { SEEN_PATH_MAX = 16 * 1024, RECORD_MAX = 2 * SEEN_PATH_MAX + 16, MOVE_WAIT_MS = 20, NOBODY = -1 };

static const uint32_t MASK = IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
                             IN_MOVE_SELF | IN_ONLYDIR;

// A watched directory; the kernel's numbers rise, so they are found by halving.
struct watched {
  int wd, parent;             // NOBODY: no more, or the top
  char *name;
};

// Half of a rename: the other half tells where to.
struct leaving {
  int wd;
  uint32_t cookie;
  bool directory;
  char name[NAME_MAX + 1];
};

static struct watched watched[WATCHED_MAX];
static int watched_count;
static int inotify, output;
static bool recursive;
static const char *top;
static struct leaving leaving = {.wd = NOBODY};

static uint8_t records[2 * RECORD_MAX];
static size_t record_bytes;

static void flush(void) {
  files_put(output, records, record_bytes, "output");
  record_bytes = 0;
}

static void say(enum event_kind kind, bool directory, const char *path, const char *to) {
  if (sizeof records - record_bytes < RECORD_MAX) flush();
  uint8_t *start = records + record_bytes;
  struct wire_out out = {start + 4, start + RECORD_MAX, false};
  put_u8(&out, kind);
  put_u8(&out, directory);
  put_text(&out, path, strlen(path));
  put_text(&out, to, strlen(to));
  struct wire_out length = {start, start + 4, false};
  put_u32(&length, (uint32_t)(out.at - start - 4));
  record_bytes += (size_t)(out.at - start);
}

static struct watched *find(int wd) {
  int low = 0, high = watched_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (watched[middle].wd < wd) low = middle + 1;
    else high = middle;
  }
  return low < watched_count && watched[low].wd == wd ? &watched[low] : NULL;
}

static struct watched *find_child(int parent, const char *name) {
  for (int i = 0; i < watched_count; i++) {
    if (watched[i].parent == parent && !strcmp(watched[i].name, name)) return &watched[i];
  }
  return NULL;
}

static bool prepend(const char *path, char **at, const char *separator, const char *name) {
  size_t length = strlen(name), more = strlen(separator);
  if ((size_t)(*at - path) < length + more) return false;
  *at -= length;
  memcpy(*at, name, length);
  *at -= more;
  memcpy(*at, separator, more);
  return true;
}

// The path of `name` in the directory `wd`; false when the directory is no more, or the path too long.
static bool path_of(int wd, const char *name, char path[static SEEN_PATH_MAX]) {
  char *at = path + SEEN_PATH_MAX - 1;
  *at = 0;
  if (*name && !prepend(path, &at, "/", name)) return false;
  const struct watched *directory = find(wd);
  for (; directory && directory->parent != NOBODY; directory = find(directory->parent)) {
    if (!prepend(path, &at, "/", directory->name)) return false;
  }
  if (!directory || !prepend(path, &at, "", strcmp(top, "/") || !*at ? top : "")) return false;
  memmove(path, at, (size_t)(path + SEEN_PATH_MAX - at));
  return true;
}

static void tell(enum event_kind kind, bool directory, int wd, const char *name) {
  static char path[SEEN_PATH_MAX];
  if (path_of(wd, name, path)) say(kind, directory, path, "");
}

static void forget(struct watched *directory) {
  free(directory->name);
  memmove(directory, directory + 1, (size_t)(watched + watched_count - directory - 1) * sizeof *directory);
  watched_count--;
}

// Stops watching a directory that left and what is below it.
static void unwatch(int wd) {
  for (int i = watched_count; i-- > 0;) {
    if (i < watched_count && watched[i].parent == wd) unwatch(watched[i].wd);
  }
  inotify_rm_watch(inotify, wd);
  struct watched *directory = find(wd);
  if (directory) forget(directory);
}

static bool remember(int wd, int parent, const char *name) {
  struct watched *known = find(wd);
  char *copy = strdup(name);
  if (!copy || (!known && watched_count == WATCHED_MAX)) return free(copy), false;
  if (known) free(known->name);
  else known = &watched[watched_count++];
  *known = (struct watched){wd, parent, copy};
  return true;
}

static void watch_below(int fd, int wd, bool announce);

// Asks for the events of the directory that is open as `fd`, and is not kept in use by it.
static int add_watch(int fd) {
  int wd = fchdir(fd) ? NOBODY : inotify_add_watch(inotify, ".", MASK), error = errno;
  if (chdir("/")) files_fail(errno, "watch %s", top);
  errno = error;
  return wd;
}

// Watches an open directory; its number, or NOBODY with errno.
static int watch_directory(int fd, int parent, const char *name) {
  int wd = add_watch(fd);
  if (wd < 0) return NOBODY;
  bool kept = find(wd) || !watched_count || wd > watched[watched_count - 1].wd;
  if (kept && remember(wd, parent, name)) return wd;
  inotify_rm_watch(inotify, wd);
  errno = ENOSPC;
  return NOBODY;
}

static void enter(int directory, int parent, const char *name, bool announce) {
  int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int wd = fd < 0 ? NOBODY : watch_directory(fd, parent, name);
  if (wd >= 0) watch_below(fd, wd, announce);
  else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) tell(EVENT_LOST, true, parent, name);
  if (fd >= 0) close(fd);
}

// What is in a watched directory already; said as created when the directory is new itself.
static void watch_below(int fd, int wd, bool announce) {
  struct directory entries = {.fd = fd};
  for (const char *name; (name = directory_next(&entries));) {
    struct stat status;
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW)) continue;
    if (announce) tell(EVENT_CREATED, S_ISDIR(status.st_mode), wd, name);
    if (S_ISDIR(status.st_mode)) enter(fd, wd, name, announce);
  }
  if (entries.error && entries.error != ENOENT) tell(EVENT_LOST, true, wd, "");
}

// Watches a directory that appeared in a watched one.
static void enter_new(int wd, const char *name, bool announce) {
  static char path[SEEN_PATH_MAX];
  if (!recursive || !path_of(wd, "", path)) return;
  int directory = path_open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
  if (directory < 0) return;
  enter(directory, wd, name, announce);
  close(directory);
}

static void settle_leaving(void) {
  if (leaving.wd == NOBODY) return;
  struct watched *directory = leaving.directory ? find_child(leaving.wd, leaving.name) : NULL;
  tell(EVENT_REMOVED, leaving.directory, leaving.wd, leaving.name);
  if (directory) unwatch(directory->wd);
  leaving.wd = NOBODY;
}

static void arrived(const struct inotify_event *event) {
  static char from[SEEN_PATH_MAX], to[SEEN_PATH_MAX];
  bool directory = event->mask & IN_ISDIR;
  if (leaving.wd == NOBODY || leaving.cookie != event->cookie) {
    settle_leaving();
    tell(EVENT_CREATED, directory, event->wd, event->name);
    return directory ? enter_new(event->wd, event->name, true) : (void)0;
  }
  bool known = path_of(leaving.wd, leaving.name, from) && path_of(event->wd, event->name, to);
  struct watched *moved = directory ? find_child(leaving.wd, leaving.name) : NULL;
  if (moved) remember(moved->wd, event->wd, event->name);
  if (known) say(EVENT_MOVED, directory, from, to);
  leaving.wd = NOBODY;
}

static void left(const struct inotify_event *event) {
  settle_leaving();
  leaving = (struct leaving){.wd = event->wd, .cookie = event->cookie, .directory = event->mask & IN_ISDIR};
  snprintf(leaving.name, sizeof leaving.name, "%s", event->name);
}

// The kernel dropped events: directories may have appeared unseen.
static void overflowed(void) {
  settle_leaving();
  say(EVENT_LOST, true, top, "");
  int fd = path_open(top, O_RDONLY | O_DIRECTORY, 0);
  if (fd < 0) return;
  if (recursive && watched_count) watch_below(fd, watched[0].wd, false);
  close(fd);
}

// Whether the top is still there.
static bool happened(const struct inotify_event *event) {
  const char *name = event->len ? event->name : "";
  bool directory = event->mask & IN_ISDIR;
  if (event->mask & IN_Q_OVERFLOW) return overflowed(), true;
  if (event->mask & IN_MOVED_TO) return arrived(event), true;
  if (event->mask & IN_MOVED_FROM) return left(event), true;
  settle_leaving();
  struct watched *place = find(event->wd);
  if (!place) return true;
  if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) {
    if (place->parent != NOBODY) return true;
    say(EVENT_REMOVED, true, top, "");
    return false;
  }
  if (event->mask & IN_IGNORED) forget(place);
  else if (event->mask & IN_CREATE) tell(EVENT_CREATED, directory, event->wd, name);
  else if (event->mask & IN_DELETE) tell(EVENT_REMOVED, directory, event->wd, name);
  else if (event->mask & IN_MODIFY) tell(EVENT_MODIFIED, directory, event->wd, name);
  else if (*name || place->parent == NOBODY) tell(EVENT_ATTRIBUTES, directory, event->wd, name);
  if (event->mask & IN_CREATE && directory) enter_new(event->wd, name, true);
  return true;
}

// Whether `event` says nothing that the one before did not: a file is written in many pieces.
static bool repeats(const struct inotify_event *event, const struct inotify_event *before) {
  return before && event->mask == before->mask && event->wd == before->wd && event->mask & (IN_MODIFY | IN_ATTRIB) &&
         event->len == before->len && !memcmp(event->name, before->name, event->len);
}

static bool take(void) {
  static uint64_t block[64 * 1024 / sizeof(uint64_t)];
  ssize_t got = read(inotify, block, sizeof block);
  if (got < 0 && errno != EINTR) files_fail(errno, "watch %s", top);
  const struct inotify_event *event, *before = NULL;
  for (const char *at = (const char *)block; at < (const char *)block + got; at += sizeof *event + event->len, before = event) {
    event = (const struct inotify_event *)at;
    if (!repeats(event, before) && !happened(event)) return false;
  }
  return true;
}

static void wait_for_more(void) {
  struct pollfd ready = {.fd = inotify, .events = POLLIN};
  if (leaving.wd != NOBODY && poll(&ready, 1, MOVE_WAIT_MS) > 0) return;
  settle_leaving();
  flush();
}

uint64_t files_watch(const struct file_job *job) {
  output = job->pipes.output;
  recursive = job->flags & WATCH_RECURSIVE;
  size_t length = strlen(job->path);
  while (length && job->path[length - 1] == '/') job->path[--length] = 0;
  int fd = path_open(length ? job->path : "/", O_RDONLY | O_DIRECTORY, 0);
  inotify = fd < 0 ? -1 : inotify_init1(IN_CLOEXEC);
  top = length ? job->path : "/";
  if (fd < 0 || inotify < 0) files_fail(fd < 0 ? -fd : errno, "watch %s", top);
  int wd = watch_directory(fd, NOBODY, "");
  if (wd < 0) files_fail(errno, "watch %s", top);
  if (recursive) watch_below(fd, wd, false);
  close(fd);
  say(EVENT_STARTED, true, top, "");
  flush();
  do wait_for_more();
  while (take());
  flush();
  return 0;
}
