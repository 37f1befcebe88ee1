// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cgroup.h"
#include "host.h"
#include "task.h"

/// Memory of a sandbox that stands still, put out to swap.
struct reclaim {
  char id[ID_ROOM];
  struct task task;
};

/// The work of a child: reports the memory charged before as `bytes` and after as `entries`. A sandbox that goes on meanwhile
/// is left alone from then on; one without swap keeps its memory.
task_work reclaim_work;
