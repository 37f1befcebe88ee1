// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A stream from the host to the guest: bytes accepted within the window that was granted, written to a descriptor.
#pragma once

#include "ring.h"

enum { SINK_WINDOW = 64 * 1024 };

struct sink {
  struct ring ring;       // begins at what was written, ends at what was accepted
  uint64_t granted;       // the limit the host was told
  uint64_t acknowledged;  // the acceptance the host was told
  uint32_t window;
  int fd;                 // -1 when there is no such stream
  bool writable;
  bool ending;            // the host sent the end
  bool terminal;          // the end is typed, and more may follow
  bool typing;            // the end is to be typed after the byte before `typed_at`
  uint64_t typed_at;
};

enum sink_answer { SINK_TAKEN, SINK_GAP, SINK_BEYOND, SINK_AFTER_END };

void sink_init(struct sink *sink, int fd, bool terminal);
void sink_close(struct sink *sink);

// Takes what is new of an INPUT.
enum sink_answer sink_take(struct sink *sink, uint64_t offset, const uint8_t *data, uint32_t length, bool end);

// Writes what is held. False when the other side is closed.
bool sink_drain(struct sink *sink);

// Whether everything up to the end was written.
bool sink_is_done(const struct sink *sink);

// Sends WINDOW when there is news worth a frame.
void sink_tell(struct sink *sink, uint32_t channel);

// For a new binding: tell everything again.
void sink_forget_told(struct sink *sink);
