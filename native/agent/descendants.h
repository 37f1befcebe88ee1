// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Where there is no cgroup: a command's tree found from the process table.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// SIGKILL to every process that descends from `leader` or belongs to its session; all are stopped first, so that none can
// escape meanwhile. One that left the session and whose parents are gone is not found: only a cgroup sees that.
void descendants_kill(pid_t leader, bool leader_is_gone);
