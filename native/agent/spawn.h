// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// From the guest to a running command: the child between fork and exec.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "message.h"

// What the child gets; -1 for a descriptor that does not apply.
struct spawn {
  const struct exec_request *request;
  uint32_t number;
  bool has_cgroup;
  int input, outputs[2], master, report;
};

// What the child writes when a step failed; nothing when the command runs.
struct spawn_report {
  uint16_t kind;
  int32_t error;
  char step[240];
};

// The child's process id, or -1 with errno.
pid_t spawn_command(const struct spawn *spawn);
