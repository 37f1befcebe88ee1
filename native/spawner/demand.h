// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parts.h"

#include <stddef.h>
#include <stdint.h>

/// Answers the read `unique`: `length` bytes, or a failure when `error` is not 0. Any thread.
typedef void demand_answer(uint64_t unique, int error, const void *bytes, size_t length);

/// Starts the threads that wait for what is not here; -1 and errno when there can be none.
int demand_start(demand_answer *answer);

/// Reads a range, at once when it is here, else when it has come, or with EIO when that takes too long. Within the image.
void demand_read(struct parts *parts, uint64_t unique, uint64_t from, size_t length);

/// One more who uses an image.
void demand_hold(struct parts *parts);

/// One less; the last one closes it.
void demand_release(struct parts *parts);
