// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A gRPC message of MESSAGE_SIZE bytes: 5-byte prefix, field 1 = sandbox id of 24 bytes, field 2 = kind, sequence, filling.
#ifndef MESSAGE_H
#define MESSAGE_H
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ID_SIZE = 24, BODY_SIZE = 64, MESSAGE_SIZE = 5 + BODY_SIZE, KIND_AT = 5 + 2 + ID_SIZE + 2, SEQUENCE_AT = KIND_AT + 1 };

// A flood's messages: 5-byte prefix, number, filling.
enum { FLOOD_MESSAGE = 5 + 65536, FLOOD_HEAD = 9, FLOOD_FILLING = 'x' };

static inline void flood_head(uint8_t *m, uint32_t number) {
	memcpy(m, (uint8_t[]){0, 0, 1, 0, 0}, 5);
	memcpy(m + 5, &number, 4);
}

static inline void message_build(uint8_t *m, const char *prefix, unsigned number, char kind) {
	char id[64];
	snprintf(id, sizeof id, "%s%0*u", prefix, (int)(ID_SIZE - strlen(prefix)), number);
	memset(m, '.', MESSAGE_SIZE);
	memcpy(m, (uint8_t[]){0, 0, 0, 0, BODY_SIZE, 0x0a, ID_SIZE}, 7);
	memcpy(m + 7, id, ID_SIZE);
	m[7 + ID_SIZE] = 0x12;
	m[8 + ID_SIZE] = BODY_SIZE - ID_SIZE - 4;
	m[KIND_AT] = (uint8_t)kind;
}

static inline char message_kind(const uint8_t *m, size_t size) { return size > KIND_AT ? (char)m[KIND_AT] : 'E'; }

static inline void message_number(uint8_t *m, uint32_t sequence) { memcpy(m + SEQUENCE_AT, &sequence, 4); }
#endif
