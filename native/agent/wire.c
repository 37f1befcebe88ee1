// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <string.h>

#include "proto.h"

static uint64_t take(struct wire_in *in, size_t bytes) {
  if (in->bad || (size_t)(in->end - in->at) < bytes) {
    in->bad = true;
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) value = value << 8 | in->at[i];
  in->at += bytes;
  return value;
}

uint8_t wire_u8(struct wire_in *in) { return (uint8_t)take(in, 1); }
uint16_t wire_u16(struct wire_in *in) { return (uint16_t)take(in, 2); }
uint32_t wire_u32(struct wire_in *in) { return (uint32_t)take(in, 4); }
uint64_t wire_u64(struct wire_in *in) { return take(in, 8); }

struct text wire_text(struct wire_in *in) {
  struct text text = {"", wire_u16(in)};
  if (in->bad || in->end - in->at < text.length || memchr(in->at, 0, text.length)) {
    in->bad = true;
    return (struct text){"", 0};
  }
  if (text.length) text.at = (const char *)in->at;
  in->at += text.length;
  return text;
}

struct text_list wire_list(struct wire_in *in) {
  struct text_list list = {in->at, 0, wire_u16(in)};
  if (list.count > LIST_ITEMS_MAX) in->bad = true;
  const uint8_t *items = in->at;
  for (unsigned i = 0; i < list.count && !in->bad; i++) wire_text(in);
  if (in->bad) return (struct text_list){items, 0, 0};
  list.bytes = (uint32_t)(in->at - list.at);
  list.at = items;
  return list;
}

bool wire_done(const struct wire_in *in) { return !in->bad && in->at == in->end; }

struct text text_list_take(struct text_list *list) {
  struct text text = {(const char *)list->at + 2, (uint16_t)(list->at[0] << 8 | list->at[1])};
  list->at += 2 + text.length;
  list->count--;
  return text;
}

bool text_is(struct text text, const char *other) {
  return strlen(other) == text.length && !memcmp(text.at, other, text.length);
}

bool text_copy(struct text text, char *to, size_t size) {
  if (text.length >= size) return false;
  memcpy(to, text.at, text.length);
  to[text.length] = 0;
  return true;
}

static void put(struct wire_out *out, uint64_t value, size_t bytes) {
  if (out->full || (size_t)(out->end - out->at) < bytes) {
    out->full = true;
    return;
  }
  for (size_t i = bytes; i-- > 0; value >>= 8) out->at[i] = (uint8_t)value;
  out->at += bytes;
}

void put_u8(struct wire_out *out, uint8_t value) { put(out, value, 1); }
void put_u16(struct wire_out *out, uint16_t value) { put(out, value, 2); }
void put_u32(struct wire_out *out, uint32_t value) { put(out, value, 4); }
void put_u64(struct wire_out *out, uint64_t value) { put(out, value, 8); }

void put_bytes(struct wire_out *out, const void *bytes, size_t length) {
  if (out->full || (size_t)(out->end - out->at) < length) {
    out->full = true;
    return;
  }
  if (length) memcpy(out->at, bytes, length);
  out->at += length;
}

void put_text(struct wire_out *out, const char *text, size_t length) {
  if (length > UINT16_MAX) {
    out->full = true;
    return;
  }
  put_u16(out, (uint16_t)length);
  put_bytes(out, text, length);
}
