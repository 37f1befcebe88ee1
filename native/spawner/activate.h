// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bounded.h"
#include "cgroup.h"
#include "fault.h"
#include "host.h"
#include "layers.h"
#include "task.h"

#include <sys/types.h>

/// One request to give a blank its root.
struct activation {
  char id[ID_ROOM];
  pid_t pid;
  char upper[256];
  uint64_t disk_bytes;
  char host_name[65]; ///< empty: the blank's stays
  char template[ID_ROOM]; ///< of a bounded upper; empty: a plain one
  char owner[ID_ROOM];    ///< the sandbox that a blank of another name becomes; empty: the one of its name
  bool limited;           ///< it gets other limits than it was made with
  struct limits limits;
  bool reserved;          ///< a bounded upper's room is
  size_t layer_count;
  char layers[LAYERS_MOST][LAYER_PATH_ROOM];
};

/// Builds the overlay and makes it the root of the blank. When the request names no blank, nothing happens; when a
/// later step fails, the sandbox and its upper are gone.
int activate(struct host *host, const struct activation *activation, struct fault *fault);

/// An activation that waits for its bounded upper.
struct activating {
  struct activation activation;
  struct bounded bounded;
  int process;
  struct task task;
};

/// The same with a bounded upper, which a child makes meanwhile.
int activating_begin(struct host *host, struct activating *activating, struct fault *fault);

/// 1 while it waits; 0 or -1 at its end, and then nothing is held any more.
int activating_step(struct host *host, struct activating *activating, struct fault *fault);

/// Gives up.
void activating_abandon(struct host *host, struct activating *activating);
