// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host.h"
#include "task.h"

/// How much a copy may hold.
struct copy_limits {
  uint64_t bytes;   ///< of files as they are read, holes included; 0 is none
  uint64_t entries; ///< 0 is none
};

/// Fills the empty file `to` with the data of `from`, holes kept.
int file_copy(int from, int to, off_t size);

/// Copies the tree `from`, an upper directory, into the empty directory `to` as a layer holds it. A failure's text
/// names the entry: EFBIG a limit, ENAMETOOLONG a path that no image can hold, EXDEV a reference to another layer.
void copy_tree(struct host *host, int from, int to, const struct copy_limits *limits, struct report *report);
