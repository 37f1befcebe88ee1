// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Memory lent to one spawning child: its stack, and room to lay out arguments.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGION_STACK = 64 * 1024, REGION_BYTES = 1024 * 1024 };

struct region {
  size_t used;             // from the start of the room
  struct region *next;
  uint8_t room[];
};

// A region with nothing in its room; NULL without memory.
struct region *region_take(void);
void region_return(struct region *region);

// The top of the child's stack.
void *region_stack(struct region *region);

// Aligned room, zeroed only when the region is new; NULL when it does not fit.
void *region_get(struct region *region, size_t bytes);

// Whether one that is not in use is kept.
bool region_is_kept(void);

// Gives what is not in use back to the kernel.
void region_trim(void);
