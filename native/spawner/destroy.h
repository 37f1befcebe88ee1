// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cgroup.h"
#include "fault.h"
#include "host.h"

#include <poll.h>
#include <stdbool.h>

/// A sandbox being destroyed.
struct destruction {
  char id[ID_ROOM];
  char upper[256];
  enum class class;
  int cgroup;  ///< its directory, -1 when it is gone already
  int events;  ///< its cgroup.events, -1 when it is gone already
  int process; ///< its first process, -1 when that is gone already
  bool used;   ///< whether the next is known
  struct usage usage; ///< processor time of all its life; memory and io as they were before it was killed
};

/// Kills everything in the sandbox; idempotent.
int destroy_begin(struct host *host, struct destruction *destruction, struct fault *fault);

/// Removes what is left once nothing runs: 0 when all is gone, 1 when processes are still dying, -1 on failure.
int destroy_step(struct host *host, struct destruction *destruction, struct fault *fault);

/// What to wait for before the next step.
struct pollfd destroy_watch(const struct destruction *destruction);

void destroy_end(struct destruction *destruction);

/// Destroys and waits; for the clean-up after a failed step. False when something is still dying after the deadline.
bool destroy_now(struct host *host, const char *id, const char *upper);
