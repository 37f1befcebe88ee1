// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cgroup.h"
#include "fault.h"
#include "host.h"

#include <stdbool.h>
#include <sys/types.h>

/// True when this kernel keeps strangers off the sibling threads of a core, and cores have some: only then is anything
/// done here.
bool cores_exist(void);

/// Puts a process under the cookie of its class, which whatever it starts inherits: latency-sensitive sandboxes of a node
/// share one, best effort has none.
int cores_give(struct host *host, enum class class, pid_t pid, struct fault *fault);

/// The same for the calling process, which is to become a sandbox.
int cores_take(const struct cgroups *cgroups, enum class class, struct fault *fault);
