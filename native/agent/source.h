// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A stream from the guest to the host: a descriptor that is read, the bytes kept of it, and the host's window.
#pragma once

#include "ring.h"

struct source {
  struct ring ring;         // begins at what was acknowledged
  uint64_t sent, limit;
  uint32_t least;           // how much it may keep whatever the budget
  int fd, error;            // the error that ended it, if one did
  uint8_t stream;
  bool readable;            // there may be something to read now
  bool hung;                // a terminal that nobody has open at the moment
  bool ended;               // nothing more will come
  bool discarding;          // read and drop
  bool keeps;               // until acknowledged; otherwise until sent
};

void source_init(struct source *source, int fd, uint8_t stream, bool keeps);

// Reads once, if there is something to read and room for it. Whether it did.
bool source_fill(struct source *source);

// Sends one OUTPUT frame if the window allows. Whether it did.
bool source_send(struct source *source, uint32_t channel);

// The host's WINDOW.
void source_window(struct source *source, uint64_t acknowledged, uint64_t limit);

// A new binding reads from here on, with no credit yet.
void source_rewind(struct source *source, uint64_t from);

// Nobody will read it any more.
void source_discard(struct source *source);

// Whether everything that was read has been sent.
bool source_is_sent(const struct source *source);
