// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Reads big-endian fields from one frame. The first field that does not fit makes every later read return zero.
struct reader {
  const uint8_t *at;
  const uint8_t *end;
  bool broken;
  bool too_long; ///< a text was longer than its reader takes, and is read as empty
};

uint8_t read_u8(struct reader *reader);
uint16_t read_u16(struct reader *reader);
uint32_t read_u32(struct reader *reader);
uint64_t read_u64(struct reader *reader);

/// Copies a text into `to`; one that holds a NUL breaks the reader, one longer than `room - 1` is noted as too long.
void read_str(struct reader *reader, char *to, size_t room);

/// True when every byte was read and every field fitted.
bool read_done(const struct reader *reader);

/// A growing frame to send.
struct writer {
  uint8_t *bytes;
  size_t used;
  size_t room;
};

void write_u8(struct writer *writer, uint8_t value);
void write_u16(struct writer *writer, uint16_t value);
void write_u32(struct writer *writer, uint32_t value);
void write_u64(struct writer *writer, uint64_t value);
void write_str(struct writer *writer, const char *text);

/// Overwrites the u16 or u32 at `offset`, for counts and lengths that are known late.
void patch_u16(struct writer *writer, size_t offset, uint16_t value);
void patch_u32(struct writer *writer, size_t offset, uint32_t value);
