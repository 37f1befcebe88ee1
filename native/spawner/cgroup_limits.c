// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Limits and usage, for both versions of each controller.

enum { PATH_ROOM = ID_ROOM + 60, PERIOD_MICROS = 100000, CONNECTIONS_MOST = 64 << 20 };

/// The node's directory in a controller's hierarchy; the controller is there.
static int tree_of(const struct cgroups *cgroups, enum controller controller) {
  return cgroups->place[controller] == IN_V1 ? cgroups->v1[controller] : cgroups->v2;
}

static int set(const struct cgroups *cgroups, enum controller controller, const char *directory, const char *file,
               const char *value) {
  char path[PATH_ROOM];
  snprintf(path, sizeof path, "%s/%s", directory, file);
  return write_file(tree_of(cgroups, controller), path, value);
}

static int absent(enum controller controller, struct fault *fault) {
  return fail_with(fault, STEP_CGROUP, EOPNOTSUPP, "this host has no %s controller", controller_names[controller]);
}

static int set_quota(const struct cgroups *cgroups, const char *directory, uint32_t millis) {
  char value[48];
  uint64_t quota = (uint64_t)millis * PERIOD_MICROS / 1000;
  quota = quota < 1000 ? 1000 : quota;
  bool is_v1 = cgroups->place[CPU] == IN_V1;
  if (millis == 0) {
    snprintf(value, sizeof value, "%s", is_v1 ? "-1" : "max");
  } else if (is_v1) {
    snprintf(value, sizeof value, "%" PRIu64, quota);
  } else {
    snprintf(value, sizeof value, "%" PRIu64 " %d", quota, PERIOD_MICROS);
  }
  return set(cgroups, CPU, directory, is_v1 ? "cpu.cfs_quota_us" : "cpu.max", value);
}

/// Its share beside the other sandboxes of its class, in thousandths of a CPU.
static int set_share(const struct cgroups *cgroups, const char *directory, uint32_t millis) {
  char value[24];
  bool is_v1 = cgroups->place[CPU] == IN_V1;
  uint64_t weight = is_v1 ? (uint64_t)millis * 1024 / 1000 : (uint64_t)millis / 10;
  uint64_t most = is_v1 ? 262144 : 10000;
  uint64_t least = is_v1 ? 2 : 1;
  weight = weight < least ? least : weight > most ? most : weight;
  snprintf(value, sizeof value, "%" PRIu64, weight);
  return set(cgroups, CPU, directory, is_v1 ? "cpu.shares" : "cpu.weight", value);
}

static int set_cpu(const struct cgroups *cgroups, const char *directory, uint32_t millis, struct fault *fault) {
  if (cgroups->place[CPU] == ABSENT) {
    return millis == 0 ? 0 : absent(CPU, fault);
  }
  if (set_quota(cgroups, directory, millis) != 0) {
    return fail(fault, STEP_CGROUP, "limit %s to %u thousandths of a CPU", directory, millis);
  }
  uint32_t share = millis == 0 ? 1000 : millis;
  if (set_share(cgroups, directory, share) != 0) {
    return fail(fault, STEP_CGROUP, "give %s the CPU weight of %u thousandths", directory, share);
  }
  return 0;
}

void cgroup_hurry(const struct cgroups *cgroups, enum class class, const char *id) {
  char directory[ID_ROOM + 8];
  snprintf(directory, sizeof directory, "%s/%s", class_names[class], id);
  if (cgroups->place[CPU] != ABSENT) {
    (void)set_quota(cgroups, directory, 0);
    (void)set_share(cgroups, directory, UINT32_MAX);
  }
}

/// v1 keeps `memory + swap >= memory` at every moment, so which of the two goes first depends on the direction.
static int set_memory_v1(const struct cgroups *cgroups, const char *directory, const char *value) {
  static const char both[] = "memory.memsw.limit_in_bytes";
  static const char plain[] = "memory.limit_in_bytes";
  bool swapless = set(cgroups, MEMORY, directory, both, value) != 0 && errno == ENOENT;
  if (set(cgroups, MEMORY, directory, plain, value) != 0) {
    return -1;
  }
  return swapless ? 0 : set(cgroups, MEMORY, directory, both, value);
}

static int set_memory_v2(const struct cgroups *cgroups, const char *directory, const char *value, bool limited) {
  if (set(cgroups, MEMORY, directory, "memory.max", value) != 0) {
    return -1;
  }
  int result = set(cgroups, MEMORY, directory, "memory.swap.max", limited ? "0" : "max");
  return result == 0 || errno == ENOENT ? 0 : -1;
}

static int set_memory(const struct cgroups *cgroups, const char *directory, uint64_t bytes, struct fault *fault) {
  if (cgroups->place[MEMORY] == ABSENT) {
    return bytes == 0 ? 0 : absent(MEMORY, fault);
  }
  char value[24];
  bool is_v1 = cgroups->place[MEMORY] == IN_V1;
  if (bytes == 0) {
    snprintf(value, sizeof value, "%s", is_v1 ? "-1" : "max");
  } else {
    snprintf(value, sizeof value, "%" PRIu64, bytes);
  }
  int result = is_v1 ? set_memory_v1(cgroups, directory, value) : set_memory_v2(cgroups, directory, value, bytes != 0);
  return result == 0 ? 0 : fail(fault, STEP_CGROUP, "limit %s to %s bytes of memory", directory, value);
}

/// v1 counts what connections hold neither as memory nor against anything but one room for the whole kernel, so that one
/// sandbox could fill it and slow the node's own connections down. v2 counts it as memory.
static int set_connections(const struct cgroups *cgroups, const char *directory, uint64_t memory, struct fault *fault) {
  if (cgroups->place[MEMORY] != IN_V1) {
    return 0;
  }
  char value[24];
  uint64_t most = memory != 0 && memory < CONNECTIONS_MOST ? memory : CONNECTIONS_MOST;
  snprintf(value, sizeof value, "%" PRIu64, most);
  if (set(cgroups, MEMORY, directory, "memory.kmem.tcp.limit_in_bytes", value) == 0 || errno == ENOENT) {
    return 0;
  }
  return fail(fault, STEP_CGROUP, "limit what connections of %s hold to %s bytes", directory, value);
}

static int set_pids(const struct cgroups *cgroups, const char *directory, uint32_t pids, struct fault *fault) {
  if (cgroups->place[PIDS] == ABSENT) {
    return pids == 0 ? 0 : absent(PIDS, fault);
  }
  char value[16] = "max";
  if (pids != 0) {
    snprintf(value, sizeof value, "%u", pids);
  }
  int result = set(cgroups, PIDS, directory, "pids.max", value);
  return result == 0 ? 0 : fail(fault, STEP_CGROUP, "limit %s to %s processes", directory, value);
}

int cgroup_set_limits(const struct cgroups *cgroups, enum class class, const char *id, const struct limits *limits,
                      bool fresh, struct fault *fault) {
  char directory[ID_ROOM + 8];
  snprintf(directory, sizeof directory, "%s/%s", class_names[class], id);
  if (!(fresh && limits->cpu_millis == 0) && set_cpu(cgroups, directory, limits->cpu_millis, fault) != 0) {
    return -1;
  }
  if (!(fresh && limits->memory_bytes == 0) && set_memory(cgroups, directory, limits->memory_bytes, fault) != 0) {
    return -1;
  }
  if (set_connections(cgroups, directory, limits->memory_bytes, fault) != 0) {
    return -1;
  }
  return fresh && limits->pids == 0 ? 0 : set_pids(cgroups, directory, limits->pids, fault);
}

uint64_t cgroup_keyed_in(int file, const char *key) {
  char text[4096];
  size_t length = strlen(key);
  ssize_t count = pread(file, text, sizeof text - 1, 0);
  text[count > 0 ? count : 0] = 0;
  for (char *line = text; line != NULL && *line != 0; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, length) == 0 && line[length] == ' ') {
      return strtoull(line + length + 1, NULL, 10);
    }
  }
  return 0;
}

uint64_t cgroup_keyed(int directory, const char *file, const char *key) {
  int fd = openat(directory, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return 0;
  }
  uint64_t value = cgroup_keyed_in(fd, key);
  close(fd);
  return value;
}

static uint64_t number(const struct cgroups *cgroups, enum controller controller, const char *directory,
                       const char *file) {
  char path[PATH_ROOM];
  char text[32];
  snprintf(path, sizeof path, "%s/%s", directory, file);
  bool known = read_file(tree_of(cgroups, controller), path, text, sizeof text) > 0;
  return known ? strtoull(text, NULL, 10) : 0;
}

static void memory_usage(const struct cgroups *cgroups, const char *directory, struct usage *usage) {
  char path[PATH_ROOM];
  if (cgroups->place[MEMORY] == ABSENT) {
    return;
  }
  bool is_v1 = cgroups->place[MEMORY] == IN_V1;
  usage->memory_bytes = number(cgroups, MEMORY, directory, is_v1 ? "memory.usage_in_bytes" : "memory.current");
  usage->peak_bytes = number(cgroups, MEMORY, directory, is_v1 ? "memory.max_usage_in_bytes" : "memory.peak");
  snprintf(path, sizeof path, "%s/%s", directory, is_v1 ? "memory.oom_control" : "memory.events");
  usage->oom_kills = cgroup_keyed(tree_of(cgroups, MEMORY), path, "oom_kill");
}

int cgroup_usage(const struct cgroups *cgroups, enum class class, const char *id, struct usage *usage,
                 struct fault *fault) {
  char directory[ID_ROOM + 8];
  char path[PATH_ROOM];
  memset(usage, 0, sizeof *usage);
  snprintf(directory, sizeof directory, "%s/%s", class_names[class], id);
  snprintf(path, sizeof path, "%s/cpu.stat", directory);
  usage->cpu_micros = cgroup_keyed(cgroups->v2, path, "usage_usec");
  memory_usage(cgroups, directory, usage);
  if (cgroups->place[PIDS] != ABSENT) {
    usage->processes = (uint32_t)number(cgroups, PIDS, directory, "pids.current");
  }
  if (faccessat(cgroups->v2, directory, F_OK, 0) != 0) {
    return fail(fault, STEP_CGROUP, "find the sandbox %s", id);
  }
  return 0;
}
