// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Reading a directory with little memory, so that recursion may go deep.
#pragma once

#include <stdint.h>

struct directory {
  int fd;
  int error;
  int at, filled;
  uint64_t block[256];
};

// The next name but . and .., valid until the next call; NULL at the end or with `error` set.
const char *directory_next(struct directory *directory);
