// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The connection to the host: one at a time, a new one replaces it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Serves a listening socket, which must be close-on-exec.
void host_open(int listener);

// Handles what the host sent while there is room for answers. Whether there may be more now.
bool host_receive(void);

// Sends what waits. Whether all of it is gone.
bool host_flush(void);

// Whether buffers hold memory that an idle guest should not.
bool host_is_large(void);

// Gives that memory back, as far as nothing is in it.
void host_trim(void);

// The bytes of one connection; false when they end it. For host_receive and the fuzzer.
bool host_take(const uint8_t *bytes, size_t length, size_t *taken);

// Forgets the connection's state, for a new one.
void host_reset(void);
