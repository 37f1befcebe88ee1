// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "sink.h"

#include <errno.h>
#include <termios.h>
#include <unistd.h>

#include "outbox.h"
#include "proto.h"

static size_t reserved;

void sink_init(struct sink *sink, int fd, bool terminal) {
  *sink = (struct sink){.fd = fd, .terminal = terminal, .writable = true};
  if (fd < 0) return;
  sink->window = reserved + SINK_WINDOW <= RING_BUDGET ? SINK_WINDOW : RING_SMALLEST;
  reserved += sink->window;
}

void sink_close(struct sink *sink) {
  if (sink->fd < 0) return;
  sink->fd = -1;
  reserved -= sink->window;
  uint64_t accepted = sink->ring.end;
  ring_drop(&sink->ring, accepted);
}

static ssize_t write_some(struct sink *sink, const struct iovec *pieces, int count) {
  ssize_t wrote = writev(sink->fd, pieces, count);
  if (wrote < 0 && errno == EAGAIN) sink->writable = false;
  if (wrote < 0 && errno == EINTR) return 0;
  return wrote;
}

// Writes straight from the frame as long as nothing is held, and holds the rest.
static void accept_bytes(struct sink *sink, const uint8_t *data, size_t length) {
  while (length && sink->writable && !sink->typing && sink->ring.begin == sink->ring.end) {
    ssize_t wrote = write_some(sink, &(struct iovec){(void *)data, length}, 1);
    if (wrote < 0) break;
    sink->ring.begin = sink->ring.end += (uint64_t)wrote;
    data += wrote;
    length -= (size_t)wrote;
  }
  while (length) {
    struct iovec pieces[2];
    size_t room = ring_room(&sink->ring, sink->window, sink->window, pieces);
    if (!room) return;
    size_t part = room < length ? room : length;
    ring_put(&sink->ring, data, part);
    data += part;
    length -= part;
  }
}

static uint8_t end_character(int terminal) {
  struct termios modes;
  return tcgetattr(terminal, &modes) ? 4 : modes.c_cc[VEOF];
}

enum sink_answer sink_take(struct sink *sink, uint64_t offset, const uint8_t *data, uint32_t length, bool end) {
  uint64_t accepted = sink->ring.end;
  if (offset > accepted) return SINK_GAP;
  uint64_t known = accepted - offset;
  if (known > length || (known == length && !end)) return SINK_TAKEN;
  if (sink->ending) return known == length ? SINK_TAKEN : SINK_AFTER_END;
  if (offset + length > sink->ring.begin + sink->window) return SINK_BEYOND;
  accept_bytes(sink, data + known, length - known);
  if (!end) return SINK_TAKEN;
  if (!sink->terminal) {
    sink->ending = true;
    return SINK_TAKEN;
  }
  sink->typing = true;
  sink->typed_at = sink->ring.end;
  return SINK_TAKEN;
}

static ssize_t type_end(struct sink *sink) {
  uint8_t typed = end_character(sink->fd);
  ssize_t wrote = write_some(sink, &(struct iovec){&typed, 1}, 1);
  if (wrote == 1) sink->typing = false;
  return wrote;
}

static ssize_t write_held(struct sink *sink) {
  uint64_t upto = sink->typing ? sink->typed_at : sink->ring.end;
  if (upto == sink->ring.begin) return type_end(sink);
  struct iovec pieces[2];
  int count = ring_pieces(&sink->ring, sink->ring.begin, upto - sink->ring.begin, pieces);
  ssize_t wrote = write_some(sink, pieces, count);
  if (wrote > 0) ring_drop(&sink->ring, sink->ring.begin + (uint64_t)wrote);
  return wrote;
}

bool sink_drain(struct sink *sink) {
  while (sink->writable && (sink->ring.begin < sink->ring.end || sink->typing)) {
    if (write_held(sink) < 0) return errno == EAGAIN;
  }
  return true;
}

bool sink_is_done(const struct sink *sink) { return sink->ending && sink->ring.begin == sink->ring.end; }

void sink_tell(struct sink *sink, uint32_t channel) {
  if (sink->fd < 0) return;
  uint64_t limit = sink->ring.begin + sink->window;
  bool empty = sink->ring.begin == sink->ring.end;
  bool drained = empty && sink->acknowledged < sink->ring.end;
  if (limit < sink->granted + sink->window / 2 && !drained) return;
  sink->granted = limit;
  sink->acknowledged = sink->ring.end;
  send_window(channel, STREAM_IN, sink->acknowledged, limit);
}

void sink_forget_told(struct sink *sink) { sink->granted = sink->acknowledged = 0; }
