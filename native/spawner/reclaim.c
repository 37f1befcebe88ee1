// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "reclaim.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Where the kernel takes `memory.reclaim` a cgroup is asked as a whole. Elsewhere each process is advised from outside
// (process_madvise(2)), and only about memory that is the sandbox's own: pages of layers are what all sandboxes share.


enum { RANGES = 64, LINE_ROOM = 4400 };

struct advised {
  int process;
  int events; ///< of the sandbox's cgroup
  struct iovec ranges[RANGES];
  size_t count;
};

static void flush(struct advised *advised) {
  // A process may end or unmap meanwhile: what could not be advised stays as it is.
  if (advised->count > 0) {
    (void)!syscall(SYS_process_madvise, advised->process, advised->ranges, advised->count, MADV_PAGEOUT, 0);
  }
  advised->count = 0;
}

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/// Private pages and shared memory; a file's own pages are not this sandbox's alone.
static bool is_own(const char *permissions, unsigned long inode, const char *name) {
  if (begins(name, "[v")) {
    return false; // [vdso], [vvar], [vsyscall]
  }
  return inode == 0 || (permissions[3] == 'p' && permissions[1] == 'w') || begins(name, "/dev/shm/") ||
         begins(name, "/memfd:") || begins(name, "/SYSV");
}

static void advise_line(struct advised *advised, const char *line) {
  unsigned long from = 0;
  unsigned long to = 0;
  unsigned long inode = 0;
  char permissions[5] = "";
  int name = 0;
  if (sscanf(line, "%lx-%lx %4s %*s %*s %lu %n", &from, &to, permissions, &inode, &name) < 4 ||
      !is_own(permissions, inode, line + name)) {
    return;
  }
  advised->ranges[advised->count++] = (struct iovec){.iov_base = (void *)from, .iov_len = to - from};
  if (advised->count == RANGES) {
    flush(advised);
  }
}

static bool stands_still(int events) {
  return cgroup_keyed_in(events, "frozen") == 1;
}

static void advise_process(pid_t pid, void *what) {
  struct advised *advised = what;
  char path[32];
  char line[LINE_ROOM];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  advised->process = maps == NULL ? -1 : process_descriptor(pid);
  while (advised->process >= 0 && stands_still(advised->events) && fgets(line, sizeof line, maps) != NULL) {
    advise_line(advised, line);
  }
  flush(advised);
  if (advised->process >= 0) {
    close(advised->process);
  }
  if (maps != NULL) {
    fclose(maps);
  }
}

static bool reclaimed_as_a_whole(int directory, uint64_t bytes) {
  char amount[32];
  snprintf(amount, sizeof amount, "%llu", (unsigned long long)bytes);
  // EAGAIN: less than asked for could be had.
  return faccessat(directory, "memory.reclaim", W_OK, 0) == 0 &&
         (write_file(directory, "memory.reclaim", amount) == 0 || errno == EAGAIN);
}

void reclaim_work(struct host *host, const void *what, struct report *report) {
  const struct reclaim *reclaim = what;
  enum class class;
  struct usage usage;
  int directory = cgroup_find(&host->cgroups, reclaim->id, &class);
  int events = directory < 0 ? -1 : openat(directory, "cgroup.events", O_RDONLY | O_CLOEXEC);
  if (events < 0 || cgroup_usage(&host->cgroups, class, reclaim->id, &usage, &report->fault) != 0) {
    fail(&report->fault, STEP_CGROUP, "find the sandbox %s", reclaim->id);
    return;
  }
  report->bytes = usage.memory_bytes;
  struct advised advised = {.events = events};
  if (stands_still(events)) {
    cgroup_allow_swap(&host->cgroups, class, reclaim->id, true);
    if (!reclaimed_as_a_whole(directory, usage.memory_bytes)) {
      cgroup_each_process(directory, advise_process, &advised);
      cgroup_free_written(&host->cgroups, class, reclaim->id);
    }
    if (!stands_still(events)) {
      cgroup_allow_swap(&host->cgroups, class, reclaim->id, false);
    }
  }
  if (cgroup_usage(&host->cgroups, class, reclaim->id, &usage, &report->fault) == 0) {
    report->entries = usage.memory_bytes;
  }
}
