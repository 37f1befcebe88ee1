// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "outbox.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto.h"

enum { CAPACITY = 512 * 1024, DATA_LEVEL = 128 * 1024, ANSWER_LEVEL = 384 * 1024, SMALL = 4096 };

static uint8_t *base;
static size_t begin, end, peak;

static size_t used(void) { return end - begin; }

bool outbox_takes_data(void) { return used() < DATA_LEVEL; }
bool outbox_takes_answers(void) { return used() < ANSWER_LEVEL; }
bool outbox_empty(void) { return begin == end; }

void outbox_clear(void) { begin = end = 0; }

static void make_room(size_t bytes) {
  if (!base) {
    base = mmap(NULL, CAPACITY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) abort();
    madvise(base, CAPACITY, MADV_DONTFORK);
  }
  if (CAPACITY - end >= bytes) return;
  memmove(base, base + begin, used());
  end = used();
  begin = 0;
  if (CAPACITY - end < bytes) abort();
}

struct wire_out frame_begin(uint8_t type, uint8_t flags, uint32_t channel) {
  make_room(FRAME_HEADER + FRAME_PAYLOAD_MAX);
  struct wire_out out = {base + end, base + end + FRAME_HEADER + FRAME_PAYLOAD_MAX, false};
  put_u32(&out, 0);
  put_u8(&out, type);
  put_u8(&out, flags);
  put_u16(&out, 0);
  put_u32(&out, channel);
  return out;
}

void frame_end(const struct wire_out *out) {
  if (out->full) abort();
  size_t bytes = (size_t)(out->at - (base + end));
  struct wire_out length = {base + end, base + end + 4, false};
  put_u32(&length, (uint32_t)(bytes - FRAME_HEADER));
  end += bytes;
  if (end > peak) peak = end;
}

void send_ok(uint32_t channel) {
  struct wire_out out = frame_begin(OK, 0, channel);
  frame_end(&out);
}

void send_fail(uint32_t channel, uint16_t kind, int error, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  struct wire_out out = frame_begin(FAIL, 0, channel);
  put_u16(&out, kind);
  put_u32(&out, (uint32_t)error);
  put_text(&out, text, strlen(text));
  frame_end(&out);
}

void send_started(uint32_t channel, uint32_t pid, uint64_t accepted) {
  struct wire_out out = frame_begin(STARTED, 0, channel);
  put_u32(&out, pid);
  put_u64(&out, accepted);
  frame_end(&out);
}

void send_window(uint32_t channel, uint8_t stream, uint64_t acknowledged, uint64_t limit) {
  struct wire_out out = frame_begin(WINDOW, 0, channel);
  put_u8(&out, stream);
  put_u64(&out, acknowledged);
  put_u64(&out, limit);
  frame_end(&out);
}

void send_number(uint8_t type, uint32_t channel, uint64_t number) {
  struct wire_out out = frame_begin(type, 0, channel);
  put_u64(&out, number);
  frame_end(&out);
}

bool outbox_flush(int fd) {
  while (begin < end) {
    ssize_t sent = write(fd, base + begin, used());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN;
    begin += (size_t)sent;
  }
  outbox_clear();
  return true;
}

bool outbox_is_large(void) { return peak > SMALL; }

void outbox_trim(void) {
  peak = end;
  if (!base || used()) return;
  munmap(base, CAPACITY);
  base = NULL;
}
