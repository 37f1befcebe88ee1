// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include <string.h>
#include <sys/mman.h>

enum { CLASSES = 4, SPARES = 2 };

static size_t used_by_all;
static uint8_t *spares[CLASSES][SPARES];

static size_t held(const struct ring *ring) { return (size_t)(ring->end - ring->begin); }

// The index of a size in the table of spares: 4 KiB, 16 KiB, 64 KiB, 256 KiB.
static int class_of(uint32_t size) {
  int class = 0;
  while (size > RING_SMALLEST) {
    size /= 4;
    class++;
  }
  return class;
}

static uint8_t *take_memory(uint32_t size) {
  for (int i = 0; i < SPARES; i++) {
    uint8_t **spare = &spares[class_of(size)][SPARES - 1 - i], *base = *spare;
    *spare = NULL;
    if (base) return base;
  }
  uint8_t *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return NULL;
  madvise(base, size, MADV_DONTFORK);
  return base;
}

static void return_memory(uint8_t *base, uint32_t size) {
  for (int i = 0; i < SPARES; i++) {
    uint8_t **spare = &spares[class_of(size)][i];
    if (*spare) continue;
    *spare = base;
    return;
  }
  munmap(base, size);
}

bool ring_is_kept(void) {
  for (int class = 0; class < CLASSES; class++) {
    if (spares[class][0]) return true;
  }
  return false;
}

void ring_trim(void) {
  uint32_t size = RING_SMALLEST;
  for (int class = 0; class < CLASSES; class++, size *= 4) {
    for (int i = 0; i < SPARES; i++) {
      if (spares[class][i]) munmap(spares[class][i], size);
      spares[class][i] = NULL;
    }
  }
}

static void release(struct ring *ring) {
  if (!ring->base) return;
  return_memory(ring->base, ring->size);
  used_by_all -= ring->size;
  ring->last_size = ring->size;
  ring->base = NULL;
  ring->size = 0;
}

static bool resize(struct ring *ring, uint32_t size) {
  uint8_t *base = take_memory(size);
  if (!base) return false;
  struct ring larger = {base, size, 0, ring->begin, ring->begin};
  struct iovec pieces[2];
  int count = ring_pieces(ring, ring->begin, held(ring), pieces);
  for (int i = 0; i < count; i++) ring_put(&larger, pieces[i].iov_base, pieces[i].iov_len);
  release(ring);
  used_by_all += size;
  *ring = larger;
  return true;
}

// The size to grow to, 0 for none.
static uint32_t next_size(const struct ring *ring, uint32_t least, uint32_t most) {
  uint32_t size = ring->size * 4;
  if (!size) size = ring->last_size ? ring->last_size : RING_SMALLEST;
  if (size > least && used_by_all + size > RING_BUDGET) size = ring->size ? 0 : RING_SMALLEST;
  return size <= most ? size : 0;
}

static void grow(struct ring *ring, uint32_t least, uint32_t most) {
  uint32_t size = next_size(ring, least, most);
  if (size) resize(ring, size);
}

size_t ring_room(struct ring *ring, uint32_t least, uint32_t most, struct iovec pieces[2]) {
  if (held(ring) == ring->size) grow(ring, least, most);
  size_t room = ring->size - held(ring);
  if (!room) return 0;
  size_t at = ring->end & (ring->size - 1);
  size_t straight = ring->size - at < room ? ring->size - at : room;
  pieces[0] = (struct iovec){ring->base + at, straight};
  pieces[1] = (struct iovec){ring->base, room - straight};
  return room;
}

void ring_put(struct ring *ring, const uint8_t *bytes, size_t length) {
  size_t at = ring->end & (ring->size - 1);
  size_t straight = ring->size - at < length ? ring->size - at : length;
  memcpy(ring->base + at, bytes, straight);
  memcpy(ring->base, bytes + straight, length - straight);
  ring->end += length;
}

int ring_pieces(const struct ring *ring, uint64_t offset, size_t length, struct iovec pieces[2]) {
  if (!length) return 0;
  size_t at = offset & (ring->size - 1);
  size_t straight = ring->size - at < length ? ring->size - at : length;
  pieces[0] = (struct iovec){ring->base + at, straight};
  pieces[1] = (struct iovec){ring->base, length - straight};
  return straight < length ? 2 : 1;
}

void ring_copy(const struct ring *ring, uint64_t offset, uint8_t *to, size_t length) {
  struct iovec pieces[2];
  int count = ring_pieces(ring, offset, length, pieces);
  for (int i = 0; i < count; i++) {
    memcpy(to, pieces[i].iov_base, pieces[i].iov_len);
    to += pieces[i].iov_len;
  }
}

void ring_drop(struct ring *ring, uint64_t offset) {
  if (offset > ring->begin) ring->begin = offset;
  if (ring->begin == ring->end) release(ring);
}
