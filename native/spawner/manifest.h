// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host.h"
#include "layers.h"
#include "task.h"

/// A layer to be told apart from every other: what it holds, as text and as a digest of that text.
struct manifest {
  char layer[LAYER_PATH_ROOM];
  int tree; ///< the layer's mount
  int list; ///< the file that gets the text
};

/// A task_work on a struct manifest. One line per entry in the order of their names, the format is in PROTOCOL.md.
void manifest_make(struct host *host, const void *manifest, struct report *report);
