// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host.h"
#include "task.h"
#include "upper.h"

#include <stdbool.h>
#include <stdint.h>

/// What is asked for when a sandbox may write so much and no more.
struct bounded {
  char upper[256];
  char template[ID_ROOM]; ///< an empty file system of the wanted size, below uppers/.templates
  bool reserved;          ///< the host's disk has room for all of it, now and later
};

/// What a bounded upper holds, and the most it can hold, its own bookkeeping left out.
struct room {
  uint64_t bytes;
  uint64_t bytes_most;
  uint64_t inodes;
  uint64_t inodes_most;
};

/// The work of a task: makes `uppers/<name>` with a file system of its own, which it carries to us as a mount. What a
/// failure leaves is the caller's to discard; EEXIST says that nothing was made. The report counts the room that is free.
void bounded_make(struct host *host, const void *what, struct report *report);

/// The directories in such a mount.
int bounded_open(int mount, struct upper *upper, struct fault *fault);

/// Remembers that what is used now is the platform's own, not the sandbox's.
int bounded_begin(struct host *host, const char *path, int mount, struct fault *fault);

/// Mounts anew what was made in the directory of an upper, for as long as the descriptor is open; ENOENT when that is
/// not bounded.
int bounded_mount(struct host *host, int directory, struct fault *fault);

/// How full a bounded upper is.
int bounded_room(struct host *host, const char *path, struct room *room, struct fault *fault);
