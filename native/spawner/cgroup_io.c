// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"
#include "kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What a sandbox read from storage and wrote to it. The kernel counts that for processes, whichever version of cgroups a
// host has, and adds what a process did to its parent's count when that waits for it. The agent is the parent of all whose
// own parent went before: the counts of the living are the count of all there ever were.

enum { PROCESSES_MOST = 512, IO_ROOM = 512 };

static bool has_children(int directory) {
  struct stat found;
  return fstat(directory, &found) == 0 && found.st_nlink > 2;
}

static void each_of_children(int directory, void (*visit)(pid_t, void *), void *what) {
  int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
    int child = entry->d_type != DT_DIR || entry->d_name[0] == '.'
                    ? -1
                    : openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (child >= 0) {
      cgroup_each_process(child, visit, what);
      close(child);
    }
  }
  if (stream != NULL) {
    closedir(stream);
  }
}

void cgroup_each_process(int directory, void (*visit)(pid_t, void *), void *what) {
  int procs = openat(directory, "cgroup.procs", O_RDONLY | O_CLOEXEC);
  FILE *list = procs < 0 ? NULL : fdopen(procs, "r");
  for (int pid = 0; list != NULL && fscanf(list, "%d", &pid) == 1;) {
    visit(pid, what);
  }
  if (list != NULL) {
    fclose(list);
  }
  if (has_children(directory)) {
    each_of_children(directory, visit, what);
  }
}

struct sum {
  struct usage *usage;
  size_t processes;
  bool counted;
};

static uint64_t field(const char *text, const char *key) {
  unsigned long long value = 0;
  const char *line = strstr(text, key);
  return line != NULL && sscanf(line + strlen(key), "%llu", &value) == 1 ? value : 0;
}

/// One that ends meanwhile is in its parent's count from then on, before or after that was read.
static void add_process(pid_t pid, void *what) {
  struct sum *sum = what;
  char path[32];
  char text[IO_ROOM];
  if (sum->processes++ >= PROCESSES_MOST) {
    return;
  }
  snprintf(path, sizeof path, "/proc/%d/io", pid);
  if (read_file(AT_FDCWD, path, text, sizeof text) > 0) {
    sum->counted = true;
    sum->usage->read_bytes += field(text, "\nread_bytes:");
    sum->usage->written_bytes += field(text, "\nwrite_bytes:");
  }
}

void cgroup_io(int directory, struct usage *usage) {
  struct sum sum = {.usage = usage};
  cgroup_each_process(directory, add_process, &sum);
  usage->io_known = sum.counted && sum.processes <= PROCESSES_MOST;
}
