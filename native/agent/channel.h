// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Requests of the present connection, found by the channel's number.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum channel_kind { CHANNEL_EXEC, CHANNEL_FILE, CHANNEL_CONNECTION };

// Number 0: not bound to a channel.
struct channel {
  uint32_t id;
  enum channel_kind kind;
  struct channel *next;
};

void channel_bind(struct channel *channel, uint32_t id, enum channel_kind kind);
void channel_unbind(struct channel *channel);
struct channel *channel_find(uint32_t id);

// Any bound channel, or NULL when there is none.
struct channel *channel_any(void);
