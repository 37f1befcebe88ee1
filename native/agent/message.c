// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <string.h>

#include "proto.h"

typedef void parser(struct wire_in *in, struct message *m);

enum channel_rule { NEVER, CONNECTION, CHANNEL, ANY };

struct rule {
  parser *parse;
  enum channel_rule channel;
  uint8_t flags;
  bool opens;
};

static void parse_nothing(struct wire_in *in, struct message *m) {
  (void)in;
  (void)m;
}

static void parse_hello(struct wire_in *in, struct message *m) { m->version = wire_u32(in); }
static void parse_ping(struct wire_in *in, struct message *m) { m->token = wire_u64(in); }
static void parse_release(struct wire_in *in, struct message *m) { m->release = wire_text(in); }

static void parse_setup(struct wire_in *in, struct message *m) {
  m->setup.hostname = wire_text(in);
  m->setup.user = wire_text(in);
  m->setup.env = wire_list(in);
  m->setup.open_files = wire_u32(in);
}

static void parse_window(struct wire_in *in, struct message *m) {
  m->window.stream = wire_u8(in);
  m->window.acknowledged = wire_u64(in);
  m->window.limit = wire_u64(in);
  if (m->window.stream != STREAM_OUT && m->window.stream != STREAM_ERR) in->bad = true;
}

static void parse_exec(struct wire_in *in, struct message *m) {
  m->exec.id = wire_text(in);
  m->exec.cwd = wire_text(in);
  m->exec.user = wire_text(in);
  m->exec.columns = wire_u16(in);
  m->exec.rows = wire_u16(in);
  m->exec.open_files = wire_u32(in);
  m->exec.argv = wire_list(in);
  m->exec.env = wire_list(in);
}

static void parse_run(struct wire_in *in, struct message *m) {
  m->run.session = wire_text(in);
  m->run.id = wire_text(in);
  m->run.script = in->at;
  m->run.length = (uint32_t)(in->end - in->at);
  in->at = in->end;
}

static void parse_attach(struct wire_in *in, struct message *m) {
  m->attach.id = wire_text(in);
  m->attach.from[0] = wire_u64(in);
  m->attach.from[1] = wire_u64(in);
}

static void parse_input(struct wire_in *in, struct message *m) {
  m->input.offset = wire_u64(in);
  m->input.data = in->at;
  m->input.length = (uint32_t)(in->end - in->at);
  if (m->input.length > FRAME_DATA) in->bad = true;
  in->at = in->end;
}

static void parse_signal(struct wire_in *in, struct message *m) {
  m->signal.number = wire_u8(in);
  m->signal.target = wire_u8(in);
  if (m->signal.number < 1 || m->signal.number > 64 || m->signal.target > TARGET_TREE) in->bad = true;
}

static void parse_resize(struct wire_in *in, struct message *m) {
  m->resize.columns = wire_u16(in);
  m->resize.rows = wire_u16(in);
}

static void parse_path(struct wire_in *in, struct message *m) {
  m->file.user = wire_text(in);
  m->file.path = wire_text(in);
}

static void parse_read(struct wire_in *in, struct message *m) {
  parse_path(in, m);
  m->file.offset = wire_u64(in);
  m->file.length = wire_u64(in);
}

static void parse_write(struct wire_in *in, struct message *m) {
  parse_path(in, m);
  m->file.mode = wire_u32(in);
  m->file.how = wire_u8(in);
  m->file.offset = wire_u64(in);
  if (m->file.how > WRITE_RESUME) in->bad = true;
}

static void parse_list(struct wire_in *in, struct message *m) {
  parse_path(in, m);
  m->file.depth = wire_u8(in);
  if (m->file.depth < 1 || m->file.depth > LIST_DEPTH_MAX) in->bad = true;
}

static void parse_mkdir(struct wire_in *in, struct message *m) {
  parse_path(in, m);
  m->file.mode = wire_u32(in);
}

static void parse_move(struct wire_in *in, struct message *m) {
  parse_path(in, m);
  m->file.to = wire_text(in);
}

static void parse_set(struct wire_in *in, struct message *m) {
  parse_path(in, m);
  m->file.mode = wire_u32(in);
  m->file.owner = wire_text(in);
  if (m->file.mode > 07777 && m->file.mode != MODE_KEEP) in->bad = true;
}

static void parse_extract(struct wire_in *in, struct message *m) {
  parse_path(in, m);
  m->file.length = wire_u64(in);
  m->file.entries = wire_u32(in);
}

static void parse_connect(struct wire_in *in, struct message *m) {
  m->port = wire_u16(in);
  if (!m->port) in->bad = true;
}

static const struct rule rules[] = {
  [HELLO] = {parse_hello, CONNECTION, 0, false},
  [PING] = {parse_ping, CONNECTION, 0, false},
  [SETUP] = {parse_setup, CONNECTION, 0, false},
  [STATS] = {parse_nothing, ANY, 0, false},
  [CANCEL] = {parse_nothing, CHANNEL, 0, false},
  [WINDOW] = {parse_window, CHANNEL, 0, false},
  [EXEC] = {parse_exec, CHANNEL, EXEC_STDIN | EXEC_TERMINAL, true},
  [ATTACH] = {parse_attach, CHANNEL, 0, true},
  [INPUT] = {parse_input, CHANNEL, INPUT_END, false},
  [SIGNAL] = {parse_signal, CHANNEL, 0, false},
  [RESIZE] = {parse_resize, CHANNEL, 0, false},
  [RELEASE] = {parse_release, ANY, 0, false},
  [READ] = {parse_read, CHANNEL, 0, true},
  [WRITE] = {parse_write, CHANNEL, WRITE_PARENTS, true},
  [STAT] = {parse_path, CHANNEL, 0, true},
  [LIST] = {parse_list, CHANNEL, 0, true},
  [MKDIR] = {parse_mkdir, CHANNEL, MKDIR_PARENTS, true},
  [MOVE] = {parse_move, CHANNEL, 0, true},
  [REMOVE] = {parse_path, CHANNEL, REMOVE_RECURSIVE, true},
  [SET] = {parse_set, CHANNEL, 0, true},
  [CHECKSUM] = {parse_path, CHANNEL, 0, true},
  [ARCHIVE] = {parse_path, CHANNEL, 0, true},
  [EXTRACT] = {parse_extract, CHANNEL, EXTRACT_PARENTS, true},
  [WATCH] = {parse_path, CHANNEL, WATCH_RECURSIVE, true},
  [CONNECT] = {parse_connect, CHANNEL, 0, true},
  [SESSION_OPEN] = {parse_exec, CHANNEL, 0, true},
  [SESSION_RUN] = {parse_run, CHANNEL, EXEC_STDIN, true},
};

static const struct rule *rule_of(uint8_t type) {
  return type < sizeof rules / sizeof *rules && rules[type].parse ? &rules[type] : NULL;
}

bool message_opens(uint8_t type) {
  const struct rule *rule = rule_of(type);
  return rule && rule->opens;
}

int32_t message_length(const uint8_t header[static 12]) {
  struct wire_in in = {header, header + FRAME_HEADER, false};
  uint32_t length = wire_u32(&in);
  const struct rule *rule = rule_of(wire_u8(&in));
  uint8_t flags = wire_u8(&in);
  if (length > FRAME_PAYLOAD_MAX || !rule || flags & ~rule->flags || wire_u16(&in)) return -1;
  uint32_t channel = wire_u32(&in);
  if (rule->channel == CONNECTION && channel) return -1;
  if (rule->channel == CHANNEL && !channel) return -1;
  return (int32_t)length;
}

bool message_parse(const uint8_t *frame, size_t bytes, struct message *message) {
  if (bytes < FRAME_HEADER || message_length(frame) != (int64_t)bytes - FRAME_HEADER) return false;
  struct wire_in in = {frame + 4, frame + bytes, false};
  memset(message, 0, sizeof *message);
  message->type = wire_u8(&in);
  message->flags = wire_u8(&in);
  wire_u16(&in);
  message->channel = wire_u32(&in);
  rules[message->type].parse(&in, message);
  return wire_done(&in);
}
