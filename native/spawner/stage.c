// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "stage.h"
#include "kernel.h"
#include "manifest.h"
#include "trash.h"
#include "upper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A sandbox is frozen through its v2 cgroup, its upper is copied by a child, and it goes on whatever came of that. One
// that somebody else has frozen stays so.

enum { FREEZE_MS = 5000, COPY_MS = 100000 };

static int freeze(const struct staging *staging, const char *on, struct fault *fault) {
  return write_file(staging->cgroup, "cgroup.freeze", on) == 0
             ? 0
             : fail(fault, STEP_CGROUP, "freeze or thaw %s", staging->id);
}

static void let_go(struct staging *staging) {
  struct fault ignored;
  if (staging->copying) {
    task_end(&staging->task);
  }
  if (staging->ours) {
    freeze(staging, "0", &ignored); // it fails when the sandbox is gone
  }
  close(staging->events);
  close(staging->cgroup);
}

int stage_begin(struct host *host, struct staging *staging, struct fault *fault) {
  char state[8] = "";
  enum class class;
  staging->copying = staging->ours = false;
  staging->events = -1;
  staging->cgroup = cgroup_find(&host->cgroups, staging->id, &class);
  if (staging->cgroup < 0) {
    return fail(fault, STEP_CGROUP, "find the sandbox %s", staging->id);
  }
  if (upper_name(staging->upper) == NULL) {
    fail_with(fault, STEP_REQUEST, EINVAL, "the upper is uppers/ and one name, not %.100s", staging->upper);
    let_go(staging);
    return -1;
  }
  staging->events = openat(staging->cgroup, "cgroup.events", O_RDONLY | O_CLOEXEC);
  ssize_t count = read_file(staging->cgroup, "cgroup.freeze", state, sizeof state);
  bool frozen = count > 0 && state[0] == '1';
  if (staging->events < 0 || count <= 0 || (!frozen && freeze(staging, "1", fault) != 0)) {
    fail(fault, STEP_CGROUP, "freeze %s", staging->id);
    let_go(staging);
    return -1;
  }
  staging->ours = !frozen;
  staging->frozen_at_ms = now_ms();
  staging->deadline_ms = staging->frozen_at_ms + FREEZE_MS;
  return 0;
}

static void copy_upper(struct host *host, const void *what, struct report *report) {
  const struct staging *staging = what;
  int from = upper_open(host, staging->upper, &report->fault);
  if (from < 0) {
    report->fault.step = STEP_TREE;
    return;
  }
  int to = mkdirat(host->staging, staging->name, 0700) != 0
               ? -1
               : open_beneath(host->staging, staging->name, O_RDONLY | O_DIRECTORY);
  if (to < 0) {
    fail(&report->fault, STEP_TREE, "open %.60s and its copy %s", staging->upper, staging->name);
    return;
  }
  copy_tree(host, from, to, &staging->limits, report);
}

static int await_frozen(struct host *host, struct staging *staging, struct fault *fault) {
  if (cgroup_keyed_in(staging->events, "frozen") != 1) {
    return now_ms() < staging->deadline_ms
               ? 1
               : fail_with(fault, STEP_CGROUP, ETIMEDOUT, "%s did not come to a halt in time", staging->id);
  }
  staging->deadline_ms = now_ms() + COPY_MS;
  if (task_begin(host, &staging->task, copy_upper, staging, fault) != 0) {
    return -1;
  }
  staging->copying = true;
  return 1;
}

static int await_copy(struct host *host, struct staging *staging, struct report *report, struct fault *fault) {
  struct fault ignored;
  int result = task_poll(&staging->task, report, fault);
  if (result == 1 && now_ms() < staging->deadline_ms) {
    return 1;
  }
  if (result == 1) {
    result = fail_with(fault, STEP_TREE, ETIMEDOUT, "the copy of %.60s took too long", staging->upper);
  }
  if (result != 0 && fault->error != EEXIST) {
    task_end(&staging->task);
    stage_discard(host, staging->name, &ignored);
  }
  return result;
}

int stage_step(struct host *host, struct staging *staging, struct report *report, struct fault *fault) {
  int result = staging->copying ? await_copy(host, staging, report, fault) : await_frozen(host, staging, fault);
  if (result != 1) {
    let_go(staging);
  }
  return result;
}

struct pollfd stage_watch(const struct staging *staging) {
  return staging->copying ? (struct pollfd){.fd = staging->task.report, .events = POLLIN}
                          : (struct pollfd){.fd = staging->events, .events = POLLPRI};
}

static void list_name(const char *name, char *to) {
  snprintf(to, ID_ROOM + 8, "%s.list", name);
}

int listing_begin(struct host *host, struct listing *listing, struct fault *fault) {
  struct manifest manifest;
  char path[ID_ROOM + 8];
  list_name(listing->name, path);
  snprintf(manifest.layer, sizeof manifest.layer, "%s", listing->layer);
  manifest.tree = layer_mount(host, listing->layer, fault);
  if (manifest.tree < 0) {
    return -1;
  }
  manifest.list = openat(host->staging, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (manifest.list < 0) {
    return fail(fault, STEP_TREE, "write %s", path);
  }
  // The child has its own copy of `manifest`: it was forked when this returns.
  int result = task_begin(host, &listing->task, manifest_make, &manifest, fault);
  close(manifest.list);
  return result;
}

int listing_step(struct host *host, struct listing *listing, struct report *report, struct fault *fault) {
  struct fault ignored;
  int result = task_poll(&listing->task, report, fault);
  if (result != 1) {
    task_end(&listing->task);
  }
  if (result < 0) {
    stage_discard(host, listing->name, &ignored);
  }
  return result;
}

int stage_discard(struct host *host, const char *name, struct fault *fault) {
  char path[ID_ROOM + 8];
  list_name(name, path);
  if (unlinkat(host->staging, path, 0) != 0 && errno != ENOENT) {
    return fail(fault, STEP_REMOVE, "remove %s", path);
  }
  return trash_put(host, host->staging, name, fault);
}
