// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Fields of the protocol: a bounded reader that never goes past its end and a writer likewise.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes without a NUL, not terminated by one either.
struct text {
  const char *at;
  uint16_t length;
};

// Texts that were checked to lie within their frame; `bytes` is the encoded size, the count included.
struct text_list {
  const uint8_t *at;
  uint32_t bytes;
  uint16_t count;
};

// After a failed read `bad` stays set and every further read gives zero.
struct wire_in {
  const uint8_t *at, *end;
  bool bad;
};

uint8_t wire_u8(struct wire_in *in);
uint16_t wire_u16(struct wire_in *in);
uint32_t wire_u32(struct wire_in *in);
uint64_t wire_u64(struct wire_in *in);
struct text wire_text(struct wire_in *in);
struct text_list wire_list(struct wire_in *in);
bool wire_done(const struct wire_in *in);

// Takes the first text off a list; the list must not be empty.
struct text text_list_take(struct text_list *list);

bool text_is(struct text text, const char *other);

// Copies a text with a terminating NUL; false when it does not fit.
bool text_copy(struct text text, char *to, size_t size);

// After a write that did not fit `full` stays set and nothing more is written.
struct wire_out {
  uint8_t *at, *end;
  bool full;
};

void put_u8(struct wire_out *out, uint8_t value);
void put_u16(struct wire_out *out, uint16_t value);
void put_u32(struct wire_out *out, uint32_t value);
void put_u64(struct wire_out *out, uint64_t value);
void put_bytes(struct wire_out *out, const void *bytes, size_t length);
void put_text(struct wire_out *out, const char *text, size_t length);
