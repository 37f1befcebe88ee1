// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The guest's clock.
#pragma once

#include <stdint.h>

// Nanoseconds on a clock that only rises.
uint64_t now_ns(void);
