// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"
#include "host.h"

enum { LAYER_PATH_ROOM = 256, LAYERS_MOST = 128 };

/// The mount of an image as the sandboxes see it (ids mapped). It belongs to the cache: the caller does not close it,
/// and uses it before the next call.
int layer_mount(struct host *host, const char *path, struct fault *fault);

/// Drops the cached mount of an image; one that is not cached is fine.
int layer_forget(const char *path, struct fault *fault);
