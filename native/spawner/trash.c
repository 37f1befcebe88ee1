// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "trash.h"
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Removal of trees that a sandbox made, so nothing in them is trusted: no link is followed, and a tree of any depth is
// walked with a bounded number of descriptors, because a directory that lies deep is first moved up into the trash.

enum { DEPTH_MOST = 64, AT_ONCE = 128, NEVER = INT_MAX, NAME_ROOM = 64 };
enum { IO_CLASS_IDLE = 3 << 13, IO_OF_PROCESS = 1, LOWEST_PRIORITY = 19 };

/// One walk: how many entries it may still remove, and where deep directories are moved.
struct sweep {
  int trash;
  int budget;
  bool moved;
};

static unsigned counter;
static int cleaner = -1;
static bool more_came;

static void fresh_name(char *to) {
  snprintf(to, NAME_ROOM, "%d.%lld.%u", (int)getpid(), (long long)now_ms(), counter++);
}

static int remove_tree(struct sweep *sweep, int parent, const char *name, int depth);

static int remove_directory(struct sweep *sweep, int parent, const char *name, int depth) {
  if (depth >= DEPTH_MOST) {
    char moved[NAME_ROOM];
    fresh_name(moved);
    sweep->moved = true;
    return renameat(parent, name, sweep->trash, moved);
  }
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  if (stream == NULL) {
    return -1;
  }
  int result = 0;
  for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL;) {
    bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    result = self ? 0 : remove_tree(sweep, fd, entry->d_name, depth + 1);
  }
  closedir(stream);
  return result == 0 ? unlinkat(parent, name, AT_REMOVEDIR) : result;
}

/// 0 when the entry is gone (or moved up), 1 when the budget is used up, -1 on failure.
static int remove_tree(struct sweep *sweep, int parent, const char *name, int depth) {
  if (sweep->budget-- <= 0) {
    return 1;
  }
  if (unlinkat(parent, name, 0) == 0) {
    return 0;
  }
  return errno == EISDIR || errno == EPERM ? remove_directory(sweep, parent, name, depth) : -1;
}

int tree_remove(int parent, const char *name) {
  struct sweep sweep = {.trash = parent, .budget = NEVER};
  return remove_tree(&sweep, parent, name, 0) == 0 || errno == ENOENT ? 0 : -1;
}

int trash_put(struct host *host, int parent, const char *name, struct fault *fault) {
  char moved[NAME_ROOM];
  fresh_name(moved);
  if (renameat(parent, name, host->trash, moved) != 0) {
    return errno == ENOENT ? 0 : fail(fault, STEP_REMOVE, "discard %s", name);
  }
  struct sweep sweep = {.trash = host->trash, .budget = AT_ONCE};
  if (remove_tree(&sweep, host->trash, moved, 0) != 0 || sweep.moved) {
    trash_start(host);
  }
  return 0;
}

/// One pass over the trash; true when something was removed or moved, so that another pass may find more.
static bool sweep_once(int trash) {
  struct sweep sweep = {.trash = trash, .budget = NEVER};
  int fd = openat(trash, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  bool progress = false;
  if (stream == NULL) {
    return false;
  }
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
    if (entry->d_name[0] != '.') {
      sweep.budget = NEVER;
      progress = remove_tree(&sweep, fd, entry->d_name, 0) == 0 || progress;
    }
  }
  closedir(stream);
  return progress;
}

static void clean(int trash) {
  setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY);
  syscall(SYS_ioprio_set, IO_OF_PROCESS, 0, IO_CLASS_IDLE);
  dup3(trash, STDERR_FILENO, 0);
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  while (sweep_once(STDERR_FILENO)) {
  }
  _exit(0);
}

void trash_start(struct host *host) {
  if (cleaner >= 0) {
    more_came = true;
    return;
  }
  more_came = false;
  pid_t pid = fork();
  if (pid == 0) {
    clean(host->trash);
  }
  cleaner = pid < 0 ? -1 : process_descriptor(pid);
}

int trash_watch(void) {
  return cleaner;
}

void trash_ended(struct host *host) {
  close(cleaner);
  cleaner = -1;
  if (more_came) {
    trash_start(host);
  }
}
