// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PASSES_MAX = 50, LINEAGE_MAX = 64 };

struct kinship {
  pid_t parent, session;
};

static bool read_kinship(pid_t pid, struct kinship *kin) {
  char text[512];
  snprintf(text, sizeof text, "/proc/%d/stat", pid);
  int fd = open(text, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  text[got > 0 ? got : 0] = 0;
  // The name, which may hold anything, ends at the last parenthesis.
  const char *rest = strrchr(text, ')');
  char state;
  return rest && sscanf(rest, ") %c %d %*d %d", &state, &kin->parent, &kin->session) == 3 && state != 'Z' && state != 'X';
}

static bool descends(pid_t pid, pid_t leader) {
  struct kinship kin;
  if (pid == leader || !read_kinship(pid, &kin)) return false;
  if (kin.session == leader) return true;
  for (int i = 0; i < LINEAGE_MAX && kin.parent > 1; i++) {
    if (kin.parent == leader) return true;
    if (!read_kinship(kin.parent, &kin)) return false;
  }
  return false;
}

static bool kill_pass(pid_t leader) {
  bool found = false;
  DIR *directory = opendir("/proc");
  if (!directory) return false;
  for (struct dirent *entry; (entry = readdir(directory));) {
    pid_t pid = atoi(entry->d_name);
    if (pid <= 1 || !descends(pid, leader)) continue;
    kill(pid, SIGKILL);
    found = true;
  }
  closedir(directory);
  return found;
}

void descendants_kill(pid_t leader) {
  for (int pass = 0; pass < PASSES_MAX && kill_pass(leader); pass++) {}
}
