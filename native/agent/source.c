// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <errno.h>
#include <unistd.h>

#include "outbox.h"
#include "proto.h"

static uint8_t scratch[FRAME_DATA];

void source_init(struct source *source, int fd, uint8_t stream, bool keeps) {
  *source = (struct source){.fd = fd, .stream = stream, .keeps = keeps, .least = RING_SMALLEST};
}

static void took(struct source *source, ssize_t got) {
  if (got > 0) {
    if (!source->discarding) source->ring.end += (uint64_t)got;
    source->hung = false;
  } else if (got < 0 && errno == EIO) {
    source->hung = true;
    source->readable = false;
  } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    source->readable = errno == EINTR;
  } else {
    source->ended = true;
    source->error = got < 0 ? errno : 0;
    source->readable = false;
  }
}

bool source_fill(struct source *source) {
  if (!source->readable || source->ended) return false;
  struct iovec pieces[2] = {{scratch, sizeof scratch}, {NULL, 0}};
  if (!source->discarding && !ring_room(&source->ring, source->least, STREAM_BYTES_MAX, pieces)) return false;
  ssize_t got = readv(source->fd, pieces, pieces[1].iov_len ? 2 : 1);
  took(source, got);
  if (got <= 0) ring_drop(&source->ring, source->ring.begin);
  return got > 0;
}

bool source_send(struct source *source, uint32_t channel) {
  uint64_t upto = source->ring.end < source->limit ? source->ring.end : source->limit;
  if (upto <= source->sent) return false;
  size_t length = upto - source->sent < FRAME_DATA ? (size_t)(upto - source->sent) : FRAME_DATA;
  struct wire_out out = frame_begin(OUTPUT, 0, channel);
  put_u8(&out, source->stream);
  put_u64(&out, source->sent);
  ring_copy(&source->ring, source->sent, out.at, length);
  out.at += length;
  frame_end(&out);
  source->sent += length;
  if (!source->keeps) ring_drop(&source->ring, source->sent);
  return true;
}

void source_window(struct source *source, uint64_t acknowledged, uint64_t limit) {
  if (acknowledged <= source->sent && source->keeps) ring_drop(&source->ring, acknowledged);
  if (limit > source->limit) source->limit = limit;
}

void source_rewind(struct source *source, uint64_t from) {
  ring_drop(&source->ring, from);
  source->sent = source->ring.begin;
  source->limit = 0;
}

void source_discard(struct source *source) {
  source->discarding = true;
  source->sent = source->ring.end;
  ring_drop(&source->ring, source->ring.end);
}

bool source_is_sent(const struct source *source) { return source->sent == source->ring.end; }
