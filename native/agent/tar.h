// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The tar format: ustar with the records of POSIX (pax) and GNU for what does not fit. Pure functions on bytes that nobody
// vouches for; whatever they reject they name with a text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "proto.h"

enum { TAR_BLOCK = 512, TAR_RECORDS_MAX = 64 * 1024 };

struct tar_header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2], user[32], group[32],
    major[8], minor[8], prefix[155], rest[12];
};

enum tar_type {
  TAR_FILE = '0', TAR_HARD_LINK = '1', TAR_LINK = '2', TAR_DIRECTORY = '5', TAR_CONTIGUOUS = '7',
  TAR_PAX = 'x', TAR_PAX_GLOBAL = 'g', TAR_LONG_NAME = 'L', TAR_LONG_LINK = 'K',
};

// An entry; names as they are written, not checked.
struct tar_entry {
  char type;
  uint64_t size;
  uint32_t mode;
  struct timespec mtime;
  char name[PATH_BYTES_MAX + 1], link[PATH_BYTES_MAX + 1];
};

// What records before an entry say about it.
struct tar_overrides {
  bool has_size, has_mtime, has_name, has_link;
  uint64_t size;
  struct timespec mtime;
  char name[PATH_BYTES_MAX + 1], link[PATH_BYTES_MAX + 1];
};

// Whether a block is all zero: the end of an archive.
bool tar_is_end(const struct tar_header *header);

// Each gives NULL, or what is wrong.
const char *tar_parse(const struct tar_header *header, struct tar_entry *entry);
const char *tar_parse_pax(char *records, size_t length, struct tar_overrides *overrides);
const char *tar_parse_long(const char *name, size_t length, struct tar_overrides *overrides, bool link);

// Puts the overrides into the entry they precede and forgets them.
void tar_apply(struct tar_overrides *overrides, struct tar_entry *entry);

// Writes a name without empty and . components; NULL, or what is wrong with it: nothing leads out.
const char *tar_clean(const char *name, char clean[static PATH_BYTES_MAX + 1]);
