// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "trash.h"
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Removal of trees that a sandbox made, so nothing in them is trusted: no link is followed, and a tree of any depth is
// walked with a bounded number of descriptors, because a directory that lies deep is first moved up into the trash.

enum { DEPTH_MOST = 64, NAME_ROOM = 64 };
enum { IO_CLASS_IDLE = 3 << 13, IO_OF_PROCESS = 1, LOWEST_PRIORITY = 19 };

static unsigned counter;
static int cleaner = -1;
static int wake = -1; // an eventfd: how often trash came since the cleaner looked

static void fresh_name(char *to) {
  snprintf(to, NAME_ROOM, "%d.%lld.%u", (int)getpid(), (long long)now_ms(), counter++);
}

static int remove_tree(int trash, int parent, const char *name, int depth);

static int remove_directory(int trash, int parent, const char *name, int depth) {
  if (depth >= DEPTH_MOST) {
    char moved[NAME_ROOM];
    fresh_name(moved);
    return renameat(parent, name, trash, moved);
  }
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  if (stream == NULL) {
    return -1;
  }
  int result = 0;
  for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL;) {
    bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    result = self ? 0 : remove_tree(trash, fd, entry->d_name, depth + 1);
  }
  closedir(stream);
  return result == 0 ? unlinkat(parent, name, AT_REMOVEDIR) : result;
}

/// 0 when the entry is gone, or moved up into the trash because it lies deep.
static int remove_tree(int trash, int parent, const char *name, int depth) {
  if (unlinkat(parent, name, 0) == 0) {
    return 0;
  }
  return errno == EISDIR || errno == EPERM ? remove_directory(trash, parent, name, depth) : -1;
}

int tree_remove(int parent, const char *name) {
  return remove_tree(parent, parent, name, 0) == 0 || errno == ENOENT ? 0 : -1;
}

int trash_put(struct host *host, int parent, const char *name, struct fault *fault) {
  char moved[NAME_ROOM];
  fresh_name(moved);
  if (renameat(parent, name, host->trash, moved) != 0) {
    return errno == ENOENT ? 0 : fail(fault, STEP_REMOVE, "discard %s", name);
  }
  trash_start(host);
  eventfd_write(wake, 1);
  return 0;
}

/// One pass over the trash; true when something was removed or moved, so that another pass may find more.
static bool sweep_once(int trash) {
  int fd = openat(trash, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  bool progress = false;
  if (stream == NULL) {
    return false;
  }
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
    if (entry->d_name[0] != '.') {
      progress = remove_tree(trash, fd, entry->d_name, 0) == 0 || progress;
    }
  }
  closedir(stream);
  return progress;
}

static void clean(int trash, pid_t spawner) {
  eventfd_t came;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != spawner) {
    _exit(0);
  }
  setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY);
  syscall(SYS_ioprio_set, IO_OF_PROCESS, 0, IO_CLASS_IDLE);
  dup3(wake, STDOUT_FILENO, 0);
  dup3(trash, STDERR_FILENO, 0);
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  do {
    while (sweep_once(STDERR_FILENO)) {
    }
  } while (eventfd_read(STDOUT_FILENO, &came) == 0);
  _exit(0);
}

void trash_start(struct host *host) {
  if (cleaner >= 0) {
    return;
  }
  wake = wake < 0 ? eventfd(0, EFD_CLOEXEC) : wake;
  pid_t spawner = getpid();
  pid_t pid = fork();
  if (pid == 0) {
    clean(host->trash, spawner);
  }
  cleaner = pid < 0 ? -1 : process_descriptor(pid);
}

int trash_watch(void) {
  return cleaner;
}

void trash_ended(struct host *host) {
  close(cleaner);
  cleaner = -1;
  trash_start(host);
}
