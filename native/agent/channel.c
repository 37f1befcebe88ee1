// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <stddef.h>

enum { BUCKETS = 1024 };

static struct channel *buckets[BUCKETS];

void channel_bind(struct channel *channel, uint32_t id, enum channel_kind kind) {
  struct channel **bucket = &buckets[id % BUCKETS];
  *channel = (struct channel){id, kind, *bucket};
  *bucket = channel;
}

void channel_unbind(struct channel *channel) {
  if (!channel->id) return;
  struct channel **link = &buckets[channel->id % BUCKETS];
  while (*link != channel) link = &(*link)->next;
  *link = channel->next;
  channel->id = 0;
}

struct channel *channel_find(uint32_t id) {
  struct channel *channel = buckets[id % BUCKETS];
  while (channel && channel->id != id) channel = channel->next;
  return channel;
}

struct channel *channel_any(void) {
  for (int i = 0; i < BUCKETS; i++) {
    if (buckets[i]) return buckets[i];
  }
  return NULL;
}
