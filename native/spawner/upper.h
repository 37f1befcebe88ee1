// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"
#include "host.h"

#include <stdbool.h>

/// The directories that one sandbox writes to.
struct upper {
  int upper;
  int work;
};

/// Makes one more directory ahead of need; true when there was room for it. For moments when nothing else is to do.
bool upper_prepare(struct host *host);

/// Throws away what an earlier spawner made ahead.
int upper_start(struct host *host, struct fault *fault);

/// Makes `uppers/<name>` with `upper/`, owned by the sandbox's root, and `work/`.
int upper_make(struct host *host, const char *path, struct upper *upper, struct fault *fault);

/// Makes the two directories in `parent`.
int upper_fill(struct host *host, int parent);

/// Opens what a sandbox wrote, wherever it lies.
int upper_open(struct host *host, const char *path, struct fault *fault);

/// Removes it; a path that is not there is fine.
int upper_discard(struct host *host, const char *path, struct fault *fault);

/// The part of `path` after `uppers/`: one plain name. NULL for anything else.
const char *upper_name(const char *path);
