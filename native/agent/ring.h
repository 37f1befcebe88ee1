// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A byte queue addressed by absolute offsets, [begin, end), that has memory only while it holds bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { RING_SMALLEST = 4096, RING_BUDGET = 32 * 1024 * 1024 };

struct ring {
  uint8_t *base;
  uint32_t size, last_size;  // the size it had when it was last empty: what it is likely to need again
  uint64_t begin, end;
};

// Makes room at the end, growing up to `most` bytes while all rings together keep within the budget and up to `least` in any
// case. Describes the free room in one or two pieces; gives how many bytes that is, 0 when full.
size_t ring_room(struct ring *ring, uint32_t least, uint32_t most, struct iovec pieces[2]);

// Appends bytes; they must fit what ring_room gave.
void ring_put(struct ring *ring, const uint8_t *bytes, size_t length);

// Describes the bytes from `offset` on, at most `length`, in one or two pieces; gives how many pieces.
int ring_pieces(const struct ring *ring, uint64_t offset, size_t length, struct iovec pieces[2]);

// Copies bytes out without taking them.
void ring_copy(const struct ring *ring, uint64_t offset, uint8_t *to, size_t length);

// Forgets the bytes below `offset`, which is at most `end`, and gives memory back when none are left.
void ring_drop(struct ring *ring, uint64_t offset);

// Whether memory is kept for the next ring.
bool ring_is_kept(void);

// Gives the memory that is kept for the next ring back to the kernel.
void ring_trim(void);
