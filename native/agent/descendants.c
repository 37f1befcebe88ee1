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

enum { FOUND_MAX = 16384, LINEAGE_MAX = 64 };

struct found {
  size_t count;
  pid_t pids[FOUND_MAX];
};

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

static bool is_known(const struct found *found, pid_t pid) {
  for (size_t i = 0; i < found->count; i++) {
    if (found->pids[i] == pid) return true;
  }
  return false;
}

static bool add(struct found *found, pid_t pid) {
  if (found->count == FOUND_MAX || is_known(found, pid)) return false;
  found->pids[found->count++] = pid;
  return !kill(pid, SIGSTOP);
}

// Stops what was not found before. Whether there was any.
static bool stop_pass(struct found *found, pid_t leader) {
  bool added = false;
  DIR *directory = opendir("/proc");
  if (!directory) return false;
  for (struct dirent *entry; (entry = readdir(directory));) {
    pid_t pid = atoi(entry->d_name);
    if (pid > 1 && descends(pid, leader)) added |= add(found, pid);
  }
  closedir(directory);
  return added;
}

void descendants_kill(pid_t leader, bool leader_is_gone) {
  struct found *found = malloc(sizeof *found);
  if (!found) return;
  found->count = 0;
  if (!leader_is_gone) kill(leader, SIGSTOP);
  while (stop_pass(found, leader)) {}
  for (size_t i = 0; i < found->count; i++) kill(found->pids[i], SIGKILL);
  free(found);
}
