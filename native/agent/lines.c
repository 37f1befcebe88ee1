// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/stat.h>

#include "raw.h"

static bool is_regular(int fd) {
  struct statx status;
  return !RAW(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &status) && S_ISREG(status.stx_mode);
}

bool lines_open(struct lines *lines, const char *path) {
  lines->begin = lines->end = lines->total = 0;
  lines->too_long = false;
  lines->fd = (int)raw_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  if (lines->fd < 0) return false;
  if (is_regular(lines->fd)) return true;
  raw_close(lines->fd);
  return false;
}

// Reads on behind what is held; false when nothing more comes.
static bool refill(struct lines *lines) {
  memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
  lines->end -= lines->begin;
  lines->begin = 0;
  if (lines->total > LINE_FILE_MAX) return false;
  long got = raw_read(lines->fd, lines->buffer + lines->end, LINE_BYTES - 1 - lines->end);
  if (got <= 0) return false;
  lines->end += (size_t)got;
  lines->total += (size_t)got;
  return true;
}

// Throws the rest of an over-long line away; false when the file ends in it.
static bool skip_line(struct lines *lines) {
  lines->too_long = true;
  for (;;) {
    lines->begin = lines->end;
    if (!refill(lines)) return false;
    char *newline = memchr(lines->buffer, '\n', lines->end);
    if (!newline) continue;
    lines->begin = (size_t)(newline + 1 - lines->buffer);
    return true;
  }
}

char *lines_next(struct lines *lines) {
  for (;;) {
    char *line = lines->buffer + lines->begin;
    char *newline = memchr(line, '\n', lines->end - lines->begin);
    if (newline) {
      *newline = 0;
      lines->begin = (size_t)(newline + 1 - lines->buffer);
      return line;
    }
    if (lines->end - lines->begin == LINE_BYTES - 1) {
      if (!skip_line(lines)) return NULL;
    } else if (!refill(lines)) {
      if (lines->begin == lines->end) return NULL;
      lines->buffer[lines->end] = 0;
      lines->begin = lines->end;
      return lines->buffer;
    }
  }
}

void lines_close(struct lines *lines) { raw_close(lines->fd); }
