// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "activate.h"
#include "fault.h"
#include "host.h"
#include "wire.h"

enum { CHANGES_PATH_ROOM = 16384 };

/// One page of one directory of what a sandbox wrote.
struct changes {
  char upper[LAYER_PATH_ROOM];
  char directory[CHANGES_PATH_ROOM]; ///< below the root, without a slash at its ends; empty for the root
  uint64_t position;                 ///< where the page before ended; 0 for the first one
  size_t layer_count;
  char layers[LAYERS_MOST][LAYER_PATH_ROOM]; ///< lowest first
};

/// Writes how many entries, the entries, and the position of the next page or 0.
int changes_page(struct host *host, const struct changes *changes, struct writer *answer, struct fault *fault);
