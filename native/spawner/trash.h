// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host.h"

/// Moves the directory `name` of `parent`, which is in the uppers' mount, out of the way and removes it: at once when
/// it is small, else later by trash_start. The name is free when this returns.
int trash_put(struct host *host, int parent, const char *name, struct fault *fault);

/// Starts a background child that removes whatever lies in the trash, unless one runs already.
void trash_start(struct host *host);

/// A descriptor that becomes readable when the child has ended, or -1.
int trash_watch(void);

/// To be called when trash_watch is readable; starts another child when trash came in meanwhile.
void trash_ended(struct host *host);

/// Removes a small tree that the platform itself made; one that is not there is fine.
int tree_remove(int parent, const char *name);
