// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <stdlib.h>
#include <string.h>

static uint64_t read_number(struct reader *reader, size_t size) {
  if (reader->broken || (size_t)(reader->end - reader->at) < size) {
    reader->broken = true;
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) {
    value = value << 8 | *reader->at++;
  }
  return value;
}

uint8_t read_u8(struct reader *reader) {
  return (uint8_t)read_number(reader, 1);
}

uint16_t read_u16(struct reader *reader) {
  return (uint16_t)read_number(reader, 2);
}

uint32_t read_u32(struct reader *reader) {
  return (uint32_t)read_number(reader, 4);
}

uint64_t read_u64(struct reader *reader) {
  return read_number(reader, 8);
}

void read_str(struct reader *reader, char *to, size_t room) {
  size_t length = read_u16(reader);
  to[0] = 0;
  bool whole = !reader->broken && (size_t)(reader->end - reader->at) >= length;
  if (!whole || memchr(reader->at, 0, length) != NULL) {
    reader->broken = true;
    return;
  }
  if (length < room) {
    memcpy(to, reader->at, length);
    to[length] = 0;
  } else {
    reader->too_long = true;
  }
  reader->at += length;
}

bool read_done(const struct reader *reader) {
  return !reader->broken && reader->at == reader->end;
}

static uint8_t *grow(struct writer *writer, size_t size) {
  if (writer->room - writer->used < size) {
    size_t room = (writer->room + size) * 2;
    uint8_t *bytes = realloc(writer->bytes, room);
    if (bytes == NULL) {
      abort();
    }
    writer->bytes = bytes;
    writer->room = room;
  }
  uint8_t *at = writer->bytes + writer->used;
  writer->used += size;
  return at;
}

static void put(uint8_t *at, uint64_t value, size_t size) {
  for (size_t i = size; i-- > 0; value >>= 8) {
    at[i] = (uint8_t)value;
  }
}

void write_u8(struct writer *writer, uint8_t value) {
  put(grow(writer, 1), value, 1);
}

void write_u16(struct writer *writer, uint16_t value) {
  put(grow(writer, 2), value, 2);
}

void write_u32(struct writer *writer, uint32_t value) {
  put(grow(writer, 4), value, 4);
}

void write_u64(struct writer *writer, uint64_t value) {
  put(grow(writer, 8), value, 8);
}

void write_str(struct writer *writer, const char *text) {
  size_t length = strlen(text);
  write_u16(writer, (uint16_t)length);
  memcpy(grow(writer, length), text, length);
}

void patch_u16(struct writer *writer, size_t offset, uint16_t value) {
  put(writer->bytes + offset, value, 2);
}

void patch_u32(struct writer *writer, size_t offset, uint32_t value) {
  put(writer->bytes + offset, value, 4);
}
