// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"
#include "kernel.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// What of a sandbox's memory may go to swap, and when it has gone.

enum { PATH_ROOM = ID_ROOM + 40, WAITS = 100 };

static const struct timespec WRITING = {.tv_nsec = 20 * 1000 * 1000};

static void name_file(char path[PATH_ROOM], enum class class, const char *id, const char *file) {
  snprintf(path, PATH_ROOM, "%s/%s/%s", class_names[class], id, file);
}

void cgroup_allow_swap(const struct cgroups *cgroups, enum class class, const char *id, bool allow) {
  char path[PATH_ROOM];
  char most[32] = "";
  if (cgroups->place[MEMORY] != IN_V2) {
    return; // v1 bounds memory and swap together
  }
  name_file(path, class, id, "memory.max");
  bool limited = read_file(cgroups->v2, path, most, sizeof most) > 0 && strncmp(most, "max", 3) != 0;
  name_file(path, class, id, "memory.swap.max");
  // ENOENT: this kernel has no swap accounting, and bounds nothing.
  (void)write_file(cgroups->v2, path, allow || !limited ? "max" : "0");
}

void cgroup_free_written(const struct cgroups *cgroups, enum class class, const char *id) {
  char path[PATH_ROOM];
  if (cgroups->place[MEMORY] != IN_V1) {
    return;
  }
  name_file(path, class, id, "memory.stat");
  int tree = cgroups->v1[MEMORY];
  for (int i = 0; i < WAITS && cgroup_keyed(tree, path, "total_writeback") > 0; i++) {
    nanosleep(&WRITING, NULL);
  }
  if (cgroup_keyed(tree, path, "total_swapcached") > 0) {
    name_file(path, class, id, "memory.force_empty");
    (void)write_file(tree, path, "0"); // EINTR, EBUSY: some stays
  }
}
