// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Where there is no cgroup: a command's tree found from the process table.
#pragma once

#include <sys/types.h>

// SIGKILL to every process that descends from `leader` or belongs to its session, until none is left. One that left the
// session and whose parents are gone is not found: only a cgroup sees that.
void descendants_kill(pid_t leader);
