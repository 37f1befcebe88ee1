// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "destroy.h"
#include "kernel.h"
#include "trash.h"
#include "upper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEADLINE_MS = 5000 };

static void read_usage(struct host *host, struct destruction *destruction, bool agent_lives) {
  struct fault ignored;
  destruction->used =
      cgroup_usage(&host->cgroups, destruction->class, destruction->id, &destruction->usage, &ignored) == 0;
  if (agent_lives) {
    cgroup_io(destruction->cgroup, &destruction->usage);
  }
}

/// What its processes used while they were dying is its own too.
static void read_last_usage(struct destruction *destruction) {
  uint64_t cpu = destruction->cgroup < 0 ? 0 : cgroup_keyed(destruction->cgroup, "cpu.stat", "usage_usec");
  if (cpu > destruction->usage.cpu_micros) {
    destruction->usage.cpu_micros = cpu;
  }
}

int destroy_begin(struct host *host, struct destruction *destruction, struct fault *fault) {
  destruction->events = destruction->process = -1;
  destruction->used = false;
  destruction->cgroup = cgroup_find(&host->cgroups, destruction->id, &destruction->class);
  if (destruction->cgroup < 0) {
    return errno == ENOENT ? 0 : fail(fault, STEP_KILL, "open the cgroup of %s", destruction->id);
  }
  destruction->events = openat(destruction->cgroup, "cgroup.events", O_RDONLY | O_CLOEXEC);
  pid_t first = cgroup_agent(destruction->cgroup);
  read_usage(host, destruction, first != 0);
  destruction->process = first == 0 ? -1 : process_descriptor(first);
  cgroup_hurry(&host->cgroups, destruction->class, destruction->id);
  if (destruction->events < 0 || write_file(destruction->cgroup, "cgroup.kill", "1") != 0) {
    fail(fault, STEP_KILL, "kill %s", destruction->id);
    destroy_end(destruction);
    return -1;
  }
  return 0;
}

static int remove_socket(const struct host *host, const char *id, struct fault *fault) {
  char name[ID_ROOM + 8];
  snprintf(name, sizeof name, "%s.sock", id);
  if (unlinkat(host->sockets, name, 0) != 0 && errno != ENOENT) {
    return fail(fault, STEP_REMOVE, "remove the socket %s", name);
  }
  return 0;
}

/// What an OCI runtime keeps about its containers.
static int remove_runtime_state(const struct host *host, const char *id, struct fault *fault) {
  static const char *const runtimes[] = {"crun", "runc"};
  char path[ID_ROOM + 16];
  for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
    snprintf(path, sizeof path, "oci/%s/%s", runtimes[i], id);
    if (tree_remove(host->run, path) != 0) {
      return fail(fault, STEP_REMOVE, "remove %s", path);
    }
  }
  return 0;
}

static int remove_cgroups(struct host *host, struct destruction *destruction, struct fault *fault) {
  for (enum class class = 0; class < CLASSES; class++) {
    // Both: a create that was cut short may have left a v1 directory without a v2 one.
    if (cgroup_remove(&host->cgroups, class, destruction->id, fault) != 0) {
      return fault->error == EBUSY ? 1 : -1;
    }
  }
  return 0;
}

struct pollfd destroy_watch(const struct destruction *destruction) {
  if (destruction->process >= 0) {
    return (struct pollfd){.fd = destruction->process, .events = POLLIN};
  }
  return (struct pollfd){.fd = destruction->events, .events = POLLPRI};
}

/// A process leaves its cgroup a little before it is gone. The first one of a PID namespace goes after all others, so
/// its end is the end of them all; the cgroup tells of processes whose first one went before.
static bool is_dying(const struct destruction *destruction) {
  struct pollfd first = {.fd = destruction->process, .events = POLLIN};
  return (first.fd >= 0 && poll(&first, 1, 0) == 0) ||
         (destruction->events >= 0 && cgroup_keyed_in(destruction->events, "populated") != 0);
}

int destroy_step(struct host *host, struct destruction *destruction, struct fault *fault) {
  if (is_dying(destruction)) {
    return 1;
  }
  read_last_usage(destruction);
  int result = remove_cgroups(host, destruction, fault);
  if (result != 0) {
    return result;
  }
  if (remove_socket(host, destruction->id, fault) != 0 || remove_runtime_state(host, destruction->id, fault) != 0) {
    return -1;
  }
  return destruction->upper[0] == 0 ? 0 : upper_discard(host, destruction->upper, fault);
}

void destroy_end(struct destruction *destruction) {
  int *const held[] = {&destruction->events, &destruction->cgroup, &destruction->process};
  for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
    if (*held[i] >= 0) {
      close(*held[i]);
    }
    *held[i] = -1;
  }
}

bool destroy_now(struct host *host, const char *id, const char *upper) {
  struct destruction destruction = {.cgroup = -1, .events = -1, .process = -1};
  struct fault fault;
  snprintf(destruction.id, sizeof destruction.id, "%s", id);
  snprintf(destruction.upper, sizeof destruction.upper, "%s", upper);
  if (destroy_begin(host, &destruction, &fault) != 0) {
    return false;
  }
  int64_t deadline = now_ms() + DEADLINE_MS;
  int result = destroy_step(host, &destruction, &fault);
  while (result == 1 && now_ms() < deadline) {
    struct pollfd changed = destroy_watch(&destruction);
    poll(&changed, 1, 1);
    result = destroy_step(host, &destruction, &fault);
  }
  destroy_end(&destruction);
  return result == 0;
}
