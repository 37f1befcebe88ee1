// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy.h"
#include "host.h"
#include "layers.h"
#include "task.h"

#include <poll.h>
#include <stdbool.h>

/// A copy of what a sandbox wrote, made while it stands still.
struct staging {
  char id[ID_ROOM];
  char upper[LAYER_PATH_ROOM];
  char name[ID_ROOM]; ///< of the copy, below uppers/.staging
  struct copy_limits limits;
  int cgroup;
  int events;
  bool ours; ///< it stood still for us only, so it goes on after us
  bool copying;
  int64_t frozen_at_ms;
  int64_t deadline_ms;
  struct task task;
};

/// The text of a layer.
struct listing {
  char layer[LAYER_PATH_ROOM];
  char name[ID_ROOM]; ///< of the file, below uppers/.staging
  struct task task;
};

int stage_begin(struct host *host, struct staging *staging, struct fault *fault);

/// 1 while it waits; 0 or -1 once the sandbox goes on and nothing is held any more.
int stage_step(struct host *host, struct staging *staging, struct report *report, struct fault *fault);

struct pollfd stage_watch(const struct staging *staging);

int listing_begin(struct host *host, struct listing *listing, struct fault *fault);
int listing_step(struct host *host, struct listing *listing, struct report *report, struct fault *fault);

/// Throws away what either left below uppers/.staging.
int stage_discard(struct host *host, const char *name, struct fault *fault);
