// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Reading a small text file line by line, with the caller's memory only and without touching errno.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LINE_BYTES = 8192, LINE_FILE_MAX = 1024 * 1024 };

struct lines {
  int fd;
  bool too_long;        // a line was longer than the buffer and was left out
  size_t begin, end, total;
  char buffer[LINE_BYTES];
};

// False when there is no such file or it is not a regular one; it is never waited for.
bool lines_open(struct lines *lines, const char *path);

// The next line without its end, valid until the next call; NULL at the end of the file or of what is read of it.
char *lines_next(struct lines *lines);
void lines_close(struct lines *lines);
