// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "region.h"

#include <sys/mman.h>

static struct region *spare;

struct region *region_take(void) {
  struct region *region = spare;
  if (region) {
    spare = region->next;
  } else {
    region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) return NULL;
  }
  region->used = 0;
  region->next = NULL;
  return region;
}

void region_return(struct region *region) {
  if (!region) return;
  if (spare) {
    munmap(region, REGION_BYTES);
    return;
  }
  region->next = NULL;
  spare = region;
}

void *region_stack(struct region *region) { return (uint8_t *)region + REGION_BYTES; }

void *region_get(struct region *region, size_t bytes) {
  size_t room = REGION_BYTES - REGION_STACK - sizeof *region;
  size_t rounded = (bytes + 15) & ~(size_t)15;
  if (rounded > room - region->used) return NULL;
  void *at = region->room + region->used;
  region->used += rounded;
  return at;
}

bool region_is_kept(void) { return spare; }

void region_trim(void) {
  if (spare) munmap(spare, REGION_BYTES);
  spare = NULL;
}
