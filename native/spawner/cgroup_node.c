// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Makes the node's directories: <base>/<name>/{ls,be} in every hierarchy in use. Where they are is written to
// <run>/cgroups, so that a spawner started from another place in the hierarchy finds the same sandboxes.

static const char record_name[] = "cgroups";

static int make_directory(const char *path, struct fault *fault) {
  if (mkdir(path, 0755) != 0 && errno != EEXIST) {
    return fail(fault, STEP_CGROUP, "make %s", path);
  }
  return 0;
}

/// Moves every process of `directory` into a leaf of its own: v2 gives controllers only to cgroups without processes.
static int move_processes_aside(const char *directory, struct fault *fault) {
  char leaf[CGROUP_PATH_ROOM + 16];
  char procs[CGROUP_PATH_ROOM + 32];
  snprintf(leaf, sizeof leaf, "%s/node", directory);
  if (make_directory(leaf, fault) != 0) {
    return -1;
  }
  snprintf(procs, sizeof procs, "%s/cgroup.procs", directory);
  FILE *file = fopen(procs, "re");
  if (file == NULL) {
    return fail(fault, STEP_CGROUP, "open %s", procs);
  }
  snprintf(procs, sizeof procs, "%s/cgroup.procs", leaf);
  char pid[32];
  while (fgets(pid, sizeof pid, file) != NULL) {
    if (write_file(AT_FDCWD, procs, pid) != 0 && errno != ESRCH) {
      fclose(file);
      return fail(fault, STEP_CGROUP, "move process %ld to %s", atol(pid), leaf);
    }
  }
  fclose(file);
  return 0;
}

static int enable_controllers(const struct cgroups *cgroups, const char *directory, struct fault *fault) {
  char control[CGROUP_PATH_ROOM + 80];
  char text[64] = "";
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (cgroups->place[i] == IN_V2) {
      snprintf(text + strlen(text), sizeof text - strlen(text), "+%s ", controller_names[i]);
    }
  }
  if (text[0] == 0) {
    return 0;
  }
  snprintf(control, sizeof control, "%s/cgroup.subtree_control", directory);
  int result = write_file(AT_FDCWD, control, text);
  if (result != 0 && errno == EBUSY && move_processes_aside(directory, fault) == 0) {
    result = write_file(AT_FDCWD, control, text);
  }
  return result == 0 ? 0 : fail(fault, STEP_CGROUP, "enable %sin %s", text, control);
}

/// Makes `<base>/<name>/{ls,be}` and opens `<base>/<name>`; returns the descriptor.
static int make_tree(const struct cgroups *cgroups, const char *base, bool is_v2, struct fault *fault) {
  char path[CGROUP_PATH_ROOM + CGROUP_NAME_ROOM + 8];
  if (is_v2 && enable_controllers(cgroups, base, fault) != 0) {
    return -1;
  }
  for (int i = -1; i < CLASSES; i++) {
    snprintf(path, sizeof path, "%s/%s%s%s", base, cgroups->name, i < 0 ? "" : "/", i < 0 ? "" : class_names[i]);
    if (make_directory(path, fault) != 0 || (is_v2 && enable_controllers(cgroups, path, fault) != 0)) {
      return -1;
    }
  }
  snprintf(path, sizeof path, "%s/%s", base, cgroups->name);
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd >= 0 ? fd : fail(fault, STEP_CGROUP, "open %s", path);
}

/// Best effort as a whole runs as SCHED_IDLE: whatever is inside gives way to everything outside.
static int set_idle(const struct cgroups *cgroups, struct fault *fault) {
  if (cgroups->place[CPU] == ABSENT) {
    return 0;
  }
  int tree = cgroups->place[CPU] == IN_V1 ? cgroups->v1[CPU] : cgroups->v2;
  return write_file(tree, "be/cpu.idle", "1") == 0 ? 0 : fail(fault, STEP_CGROUP, "set cpu.idle of best effort");
}

/// v1 gives a directory the weight of one process beside the processes at its level. Sandboxes as a whole get that of
/// one process for every CPU; v2's default of 100 is what the other services of a host have.
static int set_weight(const struct cgroups *cgroups, struct fault *fault) {
  char shares[24];
  if (cgroups->place[CPU] != IN_V1) {
    return 0;
  }
  snprintf(shares, sizeof shares, "%ld", 1024 * sysconf(_SC_NPROCESSORS_ONLN));
  int result = write_file(cgroups->v1[CPU], "cpu.shares", shares);
  return result == 0 ? 0 : fail(fault, STEP_CGROUP, "set the CPU weight of all sandboxes to %s", shares);
}

static int open_trees(struct cgroups *cgroups, struct fault *fault) {
  cgroups->v2 = make_tree(cgroups, cgroups->v2_path, true, fault);
  if (cgroups->v2 < 0) {
    return -1;
  }
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    cgroups->v1[i] = -1;
    if (cgroups->place[i] != IN_V1) {
      continue;
    }
    cgroups->v1[i] = make_tree(cgroups, cgroups->v1_path[i], false, fault);
    if (cgroups->v1[i] < 0) {
      return -1;
    }
  }
  return set_idle(cgroups, fault) != 0 ? -1 : set_weight(cgroups, fault);
}

/// Reads the record of an earlier spawner; false when there is none, it is of another name or its places are gone.
static bool read_record(struct cgroups *cgroups, int run_fd) {
  char text[4096];
  if (read_file(run_fd, record_name, text, sizeof text) <= 0) {
    return false;
  }
  struct cgroups found = {0};
  int used = 0;
  char *at = text;
  if (sscanf(at, "%63s %511s\n%n", found.name, found.v2_path, &used) != 2 || strcmp(found.name, cgroups->name) != 0) {
    return false;
  }
  bool all_there = access(found.v2_path, F_OK) == 0;
  for (enum controller i = 0; i < CONTROLLERS && all_there; i++) {
    at += used;
    int place = 0;
    if (sscanf(at, "%d %511s\n%n", &place, found.v1_path[i], &used) != 2) {
      return false;
    }
    found.place[i] = (enum place)place;
    all_there = place != IN_V1 || access(found.v1_path[i], F_OK) == 0;
  }
  if (all_there) {
    *cgroups = found;
  }
  return all_there;
}

static int write_record(const struct cgroups *cgroups, int run_fd, struct fault *fault) {
  char text[4096];
  int used = snprintf(text, sizeof text, "%s %s\n", cgroups->name, cgroups->v2_path);
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    const char *path = cgroups->place[i] == IN_V1 ? cgroups->v1_path[i] : "-";
    used += snprintf(text + used, sizeof text - (size_t)used, "%d %s\n", cgroups->place[i], path);
  }
  int fd = openat(run_fd, record_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool written = fd >= 0 && write(fd, text, (size_t)used) == used;
  if (fd >= 0) {
    close(fd);
  }
  return written ? 0 : fail(fault, STEP_CGROUP, "write %s", record_name);
}

int cgroups_open(struct cgroups *cgroups, const char *name, int run_fd, struct fault *fault) {
  memset(cgroups, 0, sizeof *cgroups);
  snprintf(cgroups->name, sizeof cgroups->name, "%s", name);
  if (read_record(cgroups, run_fd)) {
    return open_trees(cgroups, fault);
  }
  if (cgroups_discover(cgroups, fault) != 0 || open_trees(cgroups, fault) != 0) {
    return -1;
  }
  return write_record(cgroups, run_fd, fault);
}

bool cgroups_hybrid(const struct cgroups *cgroups) {
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (cgroups->place[i] == IN_V1) {
      return true;
    }
  }
  return false;
}

static void remove_empty(int tree, const char *name) {
  int base = openat(tree, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  unlinkat(tree, "ls", AT_REMOVEDIR);
  unlinkat(tree, "be", AT_REMOVEDIR);
  unlinkat(base, name, AT_REMOVEDIR);
  close(base);
}

void cgroups_remove_empty(const struct cgroups *cgroups) {
  remove_empty(cgroups->v2, cgroups->name);
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (cgroups->place[i] == IN_V1) {
      remove_empty(cgroups->v1[i], cgroups->name);
    }
  }
}
