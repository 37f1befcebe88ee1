// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// An image that is partly here: `<name>.image` holds what is, at its place, and `<name>.map` says what that is and where
// the rest comes from. The node makes both (native/PARTS.md); we fill in chunk by chunk what is read, as the node does
// in bulk. Both may bring the same chunk: they write the same bytes.

enum { PARTS_BLOCK = 4096, PARTS_SIZES = 8, PARTS_REMOTE_ROOM = 4056, PARTS_CHUNK_MOST = 1 << 22 };

/// What reading from elsewhere came to; in the map, so that it is counted on whoever reads.
struct parts_counters {
  uint64_t reads;
  uint64_t bytes;
  uint64_t failures;           ///< of the medium, or too late
  uint64_t damaged;            ///< chunks that were not what the map says
  uint64_t sizes[PARTS_SIZES]; ///< requests of at most 4 KiB, 16 KiB, 64 KiB, 256 KiB, 1 MiB, more
};

/// The beginning of a map, little-endian.
struct parts_header {
  char magic[8];
  uint64_t size;
  uint32_t chunk;
  uint32_t timeout_ms;
  uint64_t digests; ///< where in the map the chunks' SHA-256 are
  uint64_t blocks;  ///< where the blocks' bytes are: 1 is here
  char remote[PARTS_REMOTE_ROOM];
  struct parts_counters counters;
};

/// One open image.
struct parts {
  char name[72];
  int image;
  ino_t identity;
  uint64_t size;
  uint32_t chunk;
  uint32_t timeout_ms;
  struct parts_header *header;
  uint8_t *digests;
  uint8_t *blocks;
  size_t map_length;
  unsigned references;   ///< guarded by the lock of demand.c
  int64_t late_until_ms; ///< until when what is not here is an error at once; guarded by the same
};

/// Opens an image by its name in `directory`; NULL and errno when it is not there or its map is not one.
struct parts *parts_open(int directory, const char *name);

void parts_close(struct parts *parts);

/// Whether everything in a range, which ends within the image, is here.
bool parts_here(const struct parts *parts, uint64_t from, size_t length);

/// Brings a chunk, which `room` of its size holds meanwhile; 0 or an errno.
int parts_fetch(struct parts *parts, uint64_t chunk, void *room);
