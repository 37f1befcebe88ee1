// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// From the guest to a running command. The child shares the guest's memory, on a stack of its own, until it becomes the
// command, and the guest does not wait for it: starting is cheap and a slow file system delays that command only.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "message.h"
#include "region.h"

// What the child writes when a step failed; nothing when the command runs.
struct spawn_report {
  uint16_t kind;
  int32_t error;
  char step[240];
};

// What the child gets; -1 for a descriptor that does not apply.
struct spawn {
  struct exec_request request;
  uint32_t number;
  bool has_cgroup;
  int input, outputs[2], master, report;
};

// The child's process id, or -1 with errno. The region is lent until the report pipe ends without a report, or else until the
// child is reaped.
pid_t spawn_command(const struct message *message, const struct spawn *spawn, struct region **region);
