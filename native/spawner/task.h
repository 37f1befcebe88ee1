// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"
#include "host.h"

#include <stdint.h>

enum { DIGEST_TEXT_ROOM = 80 };

/// What a long piece of work came to; how it failed when `fault.step` is not 0.
struct report {
  uint64_t entries;
  uint64_t bytes;
  uint64_t skipped;
  int carried; ///< a descriptor that comes with the report, none when not above 0
  char digest[DIGEST_TEXT_ROOM];
  struct fault fault;
};

/// Work on a tree, done by a child so that nobody waits for it but who asked.
struct task {
  int report;  ///< becomes readable at the end
  int process;
};

typedef void task_work(struct host *host, const void *what, struct report *report);

/// Begins; the child dies with the spawner.
int task_begin(struct host *host, struct task *task, task_work *work, const void *what, struct fault *fault);

/// 1 while it goes on, 0 when `report` holds what it came to, -1 when that was a failure, with the fault.
int task_poll(const struct task *task, struct report *report, struct fault *fault);

/// Kills the child if it still runs and lets go of it.
void task_end(struct task *task);
