// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host.h"

/// Moves the directory `name` of `parent`, which is in the uppers' mount, into the trash, whose cleaner removes it soon.
/// The name is free when this returns.
int trash_put(struct host *host, int parent, const char *name, struct fault *fault);

/// Starts the cleaner: a child of the lowest priority that removes whatever lies in the trash and waits for more,
/// unless it lives.
void trash_start(struct host *host);

/// A descriptor that becomes readable when the cleaner has ended, or -1.
int trash_watch(void);

/// To be called when trash_watch is readable; starts another one.
void trash_ended(struct host *host);

/// Removes a small tree that the platform itself made; one that is not there is fine.
int tree_remove(int parent, const char *name);
