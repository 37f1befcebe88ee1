// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Holds the writer, the reader and the frame parser to the golden vectors.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../agent/message.h"
#include "../agent/proto.h"
#include "../agent/wire.h"

enum { FRAME_MAX = FRAME_HEADER + FRAME_PAYLOAD_MAX };

static int failures;
static const char *vector_name;

static void expect(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", vector_name, what);
  failures++;
}

static size_t from_hex(const char *hex, uint8_t *to) {
  size_t count = 0;
  unsigned value;
  for (; sscanf(hex, "%2x", &value) == 1; hex += 2) to[count++] = (uint8_t)value;
  return count;
}

static size_t unquote(const char *text, char *to) {
  size_t count = 0;
  unsigned value;
  for (; *text; text++) {
    if (*text == '%' && sscanf(text + 1, "%2x", &value) == 1) {
      to[count++] = (char)value;
      text += 2;
    } else {
      to[count++] = *text;
    }
  }
  return count;
}

static void put_list(struct wire_out *out, char *value) {
  static char bytes[FRAME_MAX];
  unsigned count = (unsigned)strtoul(value, &value, 10);
  put_u16(out, (uint16_t)count);
  value++;
  for (unsigned i = 0; i < count; i++) {
    char *item = strsep(&value, ",");
    put_text(out, bytes, unquote(item, bytes));
  }
}

static void put_field(struct wire_out *out, char *field) {
  static char bytes[FRAME_MAX];
  char *value = strchr(field, ':');
  *value++ = 0;
  if (!strcmp(field, "u8")) put_u8(out, (uint8_t)strtoul(value, NULL, 10));
  else if (!strcmp(field, "u16")) put_u16(out, (uint16_t)strtoul(value, NULL, 10));
  else if (!strcmp(field, "u32")) put_u32(out, (uint32_t)strtoul(value, NULL, 10));
  else if (!strcmp(field, "i32")) put_u32(out, (uint32_t)strtol(value, NULL, 10));
  else if (!strcmp(field, "u64")) put_u64(out, strtoull(value, NULL, 10));
  else if (!strcmp(field, "i64")) put_u64(out, (uint64_t)strtoll(value, NULL, 10));
  else if (!strcmp(field, "str")) put_text(out, bytes, unquote(value, bytes));
  else if (!strcmp(field, "bytes")) put_bytes(out, bytes, from_hex(value, (uint8_t *)bytes));
  else if (!strcmp(field, "list")) put_list(out, value);
  else expect(false, "a kind of field that is not known");
}

static void take_list(struct wire_in *in, char *value) {
  static char bytes[FRAME_MAX];
  struct text_list list = wire_list(in);
  unsigned count = (unsigned)strtoul(value, &value, 10);
  expect(!in->bad && list.count == count, "count of the list");
  value++;
  while (list.count) {
    struct text item = text_list_take(&list);
    char *quoted = strsep(&value, ",");
    expect(quoted && unquote(quoted, bytes) == item.length && !memcmp(bytes, item.at, item.length), "item of the list");
  }
}

static void take_field(struct wire_in *in, char *field) {
  static char bytes[FRAME_MAX];
  char *value = strchr(field, ':');
  *value++ = 0;
  if (!strcmp(field, "u8")) expect(wire_u8(in) == strtoul(value, NULL, 10), "u8");
  else if (!strcmp(field, "u16")) expect(wire_u16(in) == strtoul(value, NULL, 10), "u16");
  else if (!strcmp(field, "u32")) expect(wire_u32(in) == strtoul(value, NULL, 10), "u32");
  else if (!strcmp(field, "i32")) expect((int32_t)wire_u32(in) == strtol(value, NULL, 10), "i32");
  else if (!strcmp(field, "u64")) expect(wire_u64(in) == strtoull(value, NULL, 10), "u64");
  else if (!strcmp(field, "i64")) expect((int64_t)wire_u64(in) == strtoll(value, NULL, 10), "i64");
  else if (!strcmp(field, "list")) take_list(in, value);
  else if (!strcmp(field, "str")) {
    struct text text = wire_text(in);
    expect(unquote(value, bytes) == text.length && !memcmp(bytes, text.at, text.length), "str");
  } else {
    size_t length = from_hex(value, (uint8_t *)bytes);
    expect((size_t)(in->end - in->at) == length && !memcmp(bytes, in->at, length), "bytes");
    in->at = in->end;
  }
}

static void for_each_field(char *fields, void (*action)(void *, char *), void *argument) {
  if (!strcmp(fields, "-")) return;
  for (char *field; (field = strsep(&fields, " "));) action(argument, field);
}

static void put_one(void *out, char *field) { put_field(out, field); }
static void take_one(void *in, char *field) { take_field(in, field); }

static void check_vector(bool from_host, unsigned type, unsigned flags, unsigned channel, const char *fields, const uint8_t *frame, size_t size) {
  static uint8_t built[FRAME_MAX];
  struct wire_out out = {built, built + sizeof built, false};
  put_u32(&out, (uint32_t)(size - FRAME_HEADER));
  put_u8(&out, (uint8_t)type);
  put_u8(&out, (uint8_t)flags);
  put_u16(&out, 0);
  put_u32(&out, channel);
  char *copy = strdup(fields), *second = strdup(fields);
  for_each_field(copy, put_one, &out);
  expect(!out.full && (size_t)(out.at - built) == size && !memcmp(built, frame, size), "written differently");
  struct wire_in in = {frame + FRAME_HEADER, frame + size, false};
  for_each_field(second, take_one, &in);
  expect(wire_done(&in), "not read to its end");
  free(copy);
  free(second);
  struct message message;
  expect(message_parse(frame, size, &message) == from_host, from_host ? "refused" : "taken though it is the guest's");
  if (from_host) expect(message.type == type && message.flags == flags && message.channel == channel, "header");
  for (size_t shorter = 0; shorter < size; shorter++) expect(!message_parse(frame, shorter, &message), "a part of it was taken");
}

static char *column(char **line) {
  char *start = *line, *end = strstr(start, " | ");
  if (end) *end = 0;
  *line = end ? end + 3 : NULL;
  return start;
}

static int check_file(FILE *file) {
  static uint8_t frame[FRAME_MAX];
  char *line = NULL;
  size_t capacity = 0;
  int count = 0;
  while (getline(&line, &capacity, file) > 0) {
    char *rest = line;
    line[strcspn(line, "\n")] = 0;
    if (!*line || *line == '#') continue;
    vector_name = column(&rest);
    bool from_host = !strcmp(column(&rest), "host");
    unsigned type, flags, channel;
    if (sscanf(column(&rest), "%u %u %u", &type, &flags, &channel) != 3) return -1;
    const char *fields = column(&rest);
    check_vector(from_host, type, flags, channel, fields, frame, from_hex(rest, frame));
    count++;
  }
  free(line);
  return count;
}

int main(int count, char **arguments) {
  FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
  if (!file) return 2;
  int vectors = check_file(file);
  fclose(file);
  printf("%d vectors, %d failures\n", vectors, failures);
  return vectors < 40 || failures;
}
