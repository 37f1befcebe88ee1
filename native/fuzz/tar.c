// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzzes the archive parser: the first byte says what the rest is. A name that it calls clean must not lead anywhere else.
#include <stdlib.h>
#include <string.h>

#include "../agent/tar.h"

static struct tar_entry entry;
static struct tar_overrides overrides;

static void check_clean(const char *name) {
  char clean[PATH_BYTES_MAX + 1];
  if (tar_clean(name, clean)) return;
  if (*clean == '/' || strstr(clean, "//") || strlen(clean) > strlen(name)) abort();
  for (char *rest = clean, *part; (part = strsep(&rest, "/"));) {
    if (!strcmp(part, "..") || !strcmp(part, ".")) abort();
  }
}

static void parse_header(const uint8_t *data, size_t size) {
  struct tar_header header;
  if (size < sizeof header) return;
  memcpy(&header, data, sizeof header);
  // The sum is made right, so that what lies behind it is reached.
  unsigned sum = 8 * ' ';
  memset(header.checksum, 0, sizeof header.checksum);
  for (size_t i = 0; i < sizeof header; i++) sum += ((const uint8_t *)&header)[i];
  for (int digit = 5; digit >= 0; digit--, sum >>= 3) header.checksum[digit] = (char)('0' + sum % 8);
  if (tar_is_end(&header) || tar_parse(&header, &entry)) return;
  tar_apply(&overrides, &entry);
  check_clean(entry.name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  char *copy = malloc(size);
  memcpy(copy, data + 1, size - 1);
  const char *flaw = NULL;
  memset(&overrides, 0, sizeof overrides);
  memset(&entry, 0, sizeof entry);
  if (data[0] % 4 == 1) flaw = tar_parse_pax(copy, size - 1, &overrides);
  else if (data[0] % 4 > 1) flaw = tar_parse_long(copy, size - 1, &overrides, data[0] % 4 == 2);
  else parse_header(data + 1, size - 1);
  if (!flaw && overrides.has_name) check_clean(overrides.name);
  if (!flaw) tar_apply(&overrides, &entry);
  free(copy);
  return 0;
}
