// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// What waits to be sent to the host. Data frames stop early, so that answers always have room.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

// Room for OUTPUT and the like.
bool outbox_takes_data(void);

// Room for the answer to one more frame.
bool outbox_takes_answers(void);

// Starts a frame in the outbox; fill in at most FRAME_PAYLOAD_MAX bytes and end it.
struct wire_out frame_begin(uint8_t type, uint8_t flags, uint32_t channel);
void frame_end(const struct wire_out *out);

void send_ok(uint32_t channel);
void send_fail(uint32_t channel, uint16_t kind, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));
void send_started(uint32_t channel, uint32_t pid, uint64_t accepted);
void send_window(uint32_t channel, uint8_t stream, uint64_t acknowledged, uint64_t limit);
void send_number(uint8_t type, uint32_t channel, uint64_t number);

// Writes to the socket until it is empty or the socket is full. False when the connection broke.
bool outbox_flush(int fd);
bool outbox_empty(void);

// Forgets everything, for a new connection.
void outbox_clear(void);

// Whether it holds more memory than small answers need.
bool outbox_is_large(void);

// Gives its memory back when nothing is in it.
void outbox_trim(void);
