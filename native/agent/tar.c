// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "tar.h"

#include <stdio.h>
#include <string.h>

bool tar_is_end(const struct tar_header *header) {
  static const struct tar_header zero;
  return !memcmp(header, &zero, sizeof zero);
}

// A number in octal digits, or in GNU's way big endian after a first byte of 0x80. False for anything else.
static bool number(const char *field, size_t size, uint64_t *value) {
  const uint8_t *at = (const uint8_t *)field, *end = at + size;
  *value = 0;
  if (*at == 0x80) {
    while (++at < end) {
      if (*value >> 55) return false;
      *value = *value << 8 | *at;
    }
    return true;
  }
  while (at < end && *at == ' ') at++;
  for (; at < end && *at >= '0' && *at <= '7'; at++) {
    if (*value >> 60) return false;
    *value = *value << 3 | (uint64_t)(*at - '0');
  }
  while (at < end && (*at == ' ' || !*at)) at++;
  return at == end;
}

static bool checksum_holds(const struct tar_header *header) {
  const uint8_t *bytes = (const uint8_t *)header;
  size_t from = offsetof(struct tar_header, checksum), to = from + sizeof header->checksum;
  uint64_t sum = 0, written;
  for (size_t i = 0; i < sizeof *header; i++) sum += i >= from && i < to ? ' ' : bytes[i];
  return number(header->checksum, sizeof header->checksum, &written) && written == sum;
}

static const char *take_name(const struct tar_header *header, struct tar_entry *entry) {
  bool posix = !memcmp(header->magic, "ustar\0", 6);
  if (!posix && memcmp(header->magic, "ustar ", 6)) return "not a ustar, pax or GNU archive";
  int prefix = posix ? (int)strnlen(header->prefix, sizeof header->prefix) : 0;
  snprintf(entry->name, sizeof entry->name, "%.*s%s%.*s", prefix, header->prefix, prefix ? "/" : "",
           (int)strnlen(header->name, sizeof header->name), header->name);
  snprintf(entry->link, sizeof entry->link, "%.*s", (int)strnlen(header->link, sizeof header->link), header->link);
  return NULL;
}

// A time before the epoch or beyond what the field holds counts as the epoch.
static struct timespec time_of(const struct tar_header *header) {
  uint64_t seconds;
  bool good = number(header->mtime, sizeof header->mtime, &seconds) && seconds <= INT32_MAX * 64ull;
  return (struct timespec){.tv_sec = good ? (time_t)seconds : 0};
}

const char *tar_parse(const struct tar_header *header, struct tar_entry *entry) {
  uint64_t mode;
  entry->name[0] = entry->link[0] = 0;
  if (!checksum_holds(header)) return "its header's checksum is wrong: not an archive, or a damaged one";
  const char *flaw = take_name(header, entry);
  if (flaw) return flaw;
  entry->type = header->type ? header->type : TAR_FILE;
  if (!number(header->size, sizeof header->size, &entry->size)) return "its size is no number or negative";
  if (!number(header->mode, sizeof header->mode, &mode)) return "its mode is no number";
  entry->mode = (uint32_t)mode & 07777;
  entry->mtime = time_of(header);
  return NULL;
}

static bool decimal(const char *text, const char *end, uint64_t *value) {
  *value = 0;
  if (text == end) return false;
  for (; text < end && *text >= '0' && *text <= '9'; text++) {
    if (*value > INT64_MAX / 10 - 1) return false;
    *value = *value * 10 + (uint64_t)(*text - '0');
  }
  return text == end;
}

static bool parse_time(const char *value, const char *end, struct timespec *time) {
  bool negative = value < end && *value == '-';
  value += negative;
  const char *point = memchr(value, '.', (size_t)(end - value));
  uint64_t seconds;
  if (!decimal(value, point ? point : end, &seconds)) return false;
  long nanos = 0, unit = 100000000;
  for (const char *digit = point ? point + 1 : end; digit < end; digit++, unit /= 10) {
    if (*digit < '0' || *digit > '9') return false;
    nanos += unit * (*digit - '0');
  }
  if (seconds > INT32_MAX * 64ull) return false;
  *time = (struct timespec){.tv_sec = negative ? -(time_t)seconds : (time_t)seconds, .tv_nsec = nanos};
  if (negative && nanos) *time = (struct timespec){.tv_sec = time->tv_sec - 1, .tv_nsec = 1000000000 - nanos};
  return true;
}

const char *tar_parse_long(const char *name, size_t length, struct tar_overrides *overrides, bool link) {
  while (length && !name[length - 1]) length--;
  if (length > PATH_BYTES_MAX) return "its name is too long";
  if (memchr(name, 0, length)) return "its name holds a NUL";
  char *to = link ? overrides->link : overrides->name;
  memcpy(to, name, length);
  to[length] = 0;
  *(link ? &overrides->has_link : &overrides->has_name) = true;
  return NULL;
}

static bool is(const char *key, size_t length, const char *other) { return length == strlen(other) && !memcmp(key, other, length); }

static const char *take_record(const char *key, size_t key_length, const char *value, const char *end, struct tar_overrides *overrides) {
  if (memchr(value, 0, (size_t)(end - value))) return "a pax record holds a NUL";
  if (is(key, key_length, "path")) return tar_parse_long(value, (size_t)(end - value), overrides, false);
  if (is(key, key_length, "linkpath")) return tar_parse_long(value, (size_t)(end - value), overrides, true);
  if (key_length > 11 && !memcmp(key, "GNU.sparse.", 11)) return "sparse entries are not taken";
  if (is(key, key_length, "size")) {
    overrides->has_size = true;
    return decimal(value, end, &overrides->size) ? NULL : "its size is no number or negative";
  }
  if (is(key, key_length, "mtime")) overrides->has_mtime = parse_time(value, end, &overrides->mtime);
  return NULL;
}

// A record is "<its whole length> <key>=<value>\n".
const char *tar_parse_pax(char *records, size_t length, struct tar_overrides *overrides) {
  const char *at = records, *end = records + length;
  while (at < end && *at) {
    const char *space = memchr(at, ' ', (size_t)(end - at));
    uint64_t size;
    if (!space || !decimal(at, space, &size) || size > (uint64_t)(end - at) || size < (uint64_t)(space - at) + 4) return "a pax record is malformed";
    const char *key = space + 1, *last = at + size - 1, *equals = memchr(key, '=', (size_t)(last - key));
    if (!equals || equals == key || *last != '\n') return "a pax record is malformed";
    const char *flaw = take_record(key, (size_t)(equals - key), equals + 1, last, overrides);
    if (flaw) return flaw;
    at += size;
  }
  return NULL;
}

void tar_apply(struct tar_overrides *overrides, struct tar_entry *entry) {
  if (overrides->has_name) strcpy(entry->name, overrides->name);
  if (overrides->has_link) strcpy(entry->link, overrides->link);
  if (overrides->has_size) entry->size = overrides->size;
  if (overrides->has_mtime) entry->mtime = overrides->mtime;
  overrides->has_name = overrides->has_link = overrides->has_size = overrides->has_mtime = false;
}

const char *tar_clean(const char *name, char clean[static PATH_BYTES_MAX + 1]) {
  char *to = clean;
  if (!*name) return "it has no name";
  if (*name == '/') return "its name is absolute";
  while (*name) {
    size_t length = strcspn(name, "/");
    if (length == 2 && !memcmp(name, "..", 2)) return "its name leads out of the directory";
    if (length && !(length == 1 && *name == '.')) {
      if (to != clean) *to++ = '/';
      memcpy(to, name, length);
      to += length;
    }
    name += length + (name[length] == '/');
  }
  *to = 0;
  return NULL;
}
