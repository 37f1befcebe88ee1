// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "raw.h"

static int root = -1;

bool cgroup_open(int fd) {
  int procs = openat(fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
  if (procs < 0) return false;
  close(procs);
  if (fcntl(fd, F_SETFD, FD_CLOEXEC)) return false;
  root = fd;
  return true;
}

bool cgroup_is_there(void) { return root >= 0; }

static int open_file(uint32_t number, const char *file, int flags) {
  char path[64];
  snprintf(path, sizeof path, "x%u/%s", number, file);
  return openat(root, path, flags | O_CLOEXEC);
}

static int write_file(uint32_t number, const char *file, const char *value) {
  int fd = open_file(number, file, O_WRONLY);
  if (fd < 0) return errno;
  int error = write(fd, value, strlen(value)) < 0 ? errno : 0;
  close(fd);
  return error;
}

// The text of a small file, or false.
static bool read_file(uint32_t number, const char *file, char *text, size_t size) {
  int fd = open_file(number, file, O_RDONLY);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, size - 1);
  close(fd);
  text[got > 0 ? got : 0] = 0;
  return got > 0;
}

// Writes x<number> without its end; gives where the end goes.
static char *name_into(char name[16], uint32_t number) {
  char digits[10];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  *name++ = 'x';
  while (count) *name++ = digits[--count];
  return name;
}

int cgroup_enter(uint32_t number) {
  char path[48];
  char *end = name_into(path, number);
  *end = 0;
  long result = RAW(SYS_mkdirat, root, path, 0755, 0, 0);
  if (result < 0) return (int)-result;
  memcpy(end, "/cgroup.procs", sizeof "/cgroup.procs");
  int fd = (int)raw_openat(root, path, O_WRONLY | O_CLOEXEC, 0);
  if (fd < 0) return -fd;
  result = raw_write(fd, "0", 1);
  raw_close(fd);
  return result < 0 ? (int)-result : 0;
}

// For kernels before cgroup.kill: until a pass finds nobody, or passes stop helping.
static void kill_one_by_one(uint32_t number) {
  char text[4096];
  for (int pass = 0; pass < 100 && read_file(number, "cgroup.procs", text, sizeof text); pass++) {
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
      int pid = atoi(line);
      if (pid > 0) kill(pid, SIGKILL);
    }
  }
}

void cgroup_kill(uint32_t number) {
  if (root >= 0 && write_file(number, "cgroup.kill", "1") == ENOENT) kill_one_by_one(number);
}

// Gives how many got the signal.
static int signal_pass(uint32_t number, pid_t keep, int signal) {
  static char text[128 * 1024];
  int fd = root < 0 ? -1 : open_file(number, "cgroup.procs", O_RDONLY), signalled = 0;
  if (fd < 0) return 0;
  size_t length = 0;
  for (ssize_t got; length < sizeof text - 1 && (got = read(fd, text + length, sizeof text - 1 - length)) > 0;) length += (size_t)got;
  close(fd);
  text[length] = 0;
  char *rest;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    int pid = atoi(line);
    if (pid > 0 && pid != keep && !kill(pid, signal)) signalled++;
  }
  return signalled;
}

void cgroup_signal_others(uint32_t number, pid_t keep, int signal) { signal_pass(number, keep, signal); }

static bool is_frozen(uint32_t number) {
  char text[256];
  return read_file(number, "cgroup.events", text, sizeof text) && strstr(text, "frozen 1");
}

void cgroup_kill_others(uint32_t number, pid_t keep) {
  enum { TRIES = 50, PAUSE_NS = 200000 };
  // What is frozen can be killed but cannot fork; a kernel that does not freeze it in time leaves what was forked meanwhile.
  if (write_file(number, "cgroup.freeze", "1")) {
    for (int i = 0; i < TRIES && signal_pass(number, keep, SIGKILL); i++) {}
    return;
  }
  for (int i = 0; i < TRIES && !is_frozen(number); i++) nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
  signal_pass(number, keep, SIGKILL);
  write_file(number, "cgroup.freeze", "0");
}

bool cgroup_cpu_us(uint32_t number, uint64_t *cpu_us) {
  char text[1024];
  if (root < 0 || !read_file(number, "cpu.stat", text, sizeof text)) return false;
  const char *usage = strstr(text, "usage_usec ");
  if (!usage) return false;
  *cpu_us = strtoull(usage + strlen("usage_usec "), NULL, 10);
  return true;
}

uint32_t cgroup_of(pid_t pid) {
  char path[32], text[8192];
  snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
  int fd = root < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  text[got > 0 ? got : 0] = 0;
  // The v2 hierarchy's line is the last one, and this the last of its directories.
  const char *line = strstr(text, "0::/");
  const char *name = line ? strrchr(line, '/') : NULL;
  return name && name[1] == 'x' ? (uint32_t)strtoul(name + 2, NULL, 10) : 0;
}

int cgroup_remove(uint32_t number) {
  char name[16];
  snprintf(name, sizeof name, "x%u", number);
  return root < 0 || !unlinkat(root, name, AT_REMOVEDIR) || errno == ENOENT ? 0 : errno;
}

int cgroup_events(uint32_t number) {
  int fd = open_file(number, "cgroup.events", O_RDONLY | O_NONBLOCK);
  char text[256];
  // The kernel reports changes since the last read only.
  if (fd >= 0 && read(fd, text, sizeof text) < 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static uint32_t count_lines(int fd) {
  char text[4096];
  uint32_t lines = 0;
  ssize_t got;
  while ((got = read(fd, text, sizeof text)) > 0) {
    for (ssize_t i = 0; i < got; i++) lines += text[i] == '\n';
  }
  close(fd);
  return lines;
}

static uint32_t count_entry(int directory, const char *name) {
  if (root < 0) return isdigit((unsigned char)name[0]) ? 1 : 0;
  char path[280];
  snprintf(path, sizeof path, "%s/cgroup.procs", name);
  int fd = name[0] == 'x' ? openat(directory, path, O_RDONLY | O_CLOEXEC) : -1;
  return fd < 0 ? 0 : count_lines(fd);
}

uint32_t cgroup_processes(void) {
  int fd = root < 0 ? open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                    : openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd < 0 ? NULL : fdopendir(fd);
  if (!directory) {
    if (fd >= 0) close(fd);
    return 0;
  }
  uint32_t processes = 0;
  for (struct dirent *entry; (entry = readdir(directory));) processes += count_entry(dirfd(directory), entry->d_name);
  closedir(directory);
  return root < 0 && processes ? processes - 1 : processes;
}
