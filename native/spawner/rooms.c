// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "rooms.h"
#include "kernel.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Of both a host has few by itself: three sandboxes of 250 processes can have all files open, twelve all terminals.
// Their number need not protect the host: an open file is counted as memory of who opened it, and a sandbox's terminals
// are bounded by its own mount.

struct room {
  const char *path;
  uint64_t least;
};

static const struct room rooms[] = {
    {"/proc/sys/fs/file-max", INT64_MAX},
    {"/proc/sys/kernel/pty/max", 1 << 18},
};

static void widen(const struct room *room) {
  char text[32];
  if (read_file(AT_FDCWD, room->path, text, sizeof text) <= 0 || strtoull(text, NULL, 10) >= room->least) {
    return;
  }
  snprintf(text, sizeof text, "%" PRIu64, room->least);
  (void)!write_file(AT_FDCWD, room->path, text);
}

void rooms_widen(void) {
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    widen(&rooms[i]);
  }
}
