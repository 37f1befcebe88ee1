// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzzes the frame parser alone: whatever it takes must be readable to the last byte of every field.
#include <stdlib.h>
#include <string.h>

#include "../agent/message.h"
#include "../agent/proto.h"

static volatile unsigned sum;

static void read_text(struct text text) {
  for (unsigned i = 0; i < text.length; i++) {
    if (!text.at[i]) abort();
    sum += (unsigned char)text.at[i];
  }
}

static void read_list(struct text_list list) {
  uint32_t bytes = 2;
  while (list.count) {
    struct text item = text_list_take(&list);
    read_text(item);
    bytes += 2u + item.length;
  }
  if (list.bytes != bytes) abort();
}

static void read_fields(const struct message *message) {
  switch (message->type) {
    case SETUP:
      read_text(message->setup.hostname);
      read_text(message->setup.user);
      read_list(message->setup.env);
      break;
    case EXEC:
    case SESSION_OPEN:
      read_text(message->exec.id);
      read_text(message->exec.cwd);
      read_text(message->exec.user);
      read_list(message->exec.argv);
      read_list(message->exec.env);
      break;
    case SESSION_RUN:
      read_text(message->run.session);
      read_text(message->run.id);
      for (unsigned i = 0; i < message->run.length; i++) sum += message->run.script[i];
      break;
    case ATTACH: read_text(message->attach.id); break;
    case RELEASE: read_text(message->release); break;
    case INPUT:
      for (unsigned i = 0; i < message->input.length; i++) sum += message->input.data[i];
      break;
    case READ ... WATCH:
      read_text(message->file.user);
      read_text(message->file.path);
      if (message->type == MOVE) read_text(message->file.to);
      if (message->type == SET) read_text(message->file.owner);
      break;
    default: break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct message message;
  // A copy of the exact size lets the sanitizer see any step beyond it.
  uint8_t *frame = malloc(size ? size : 1);
  memcpy(frame, data, size);
  if (message_parse(frame, size, &message)) read_fields(&message);
  free(frame);
  return 0;
}
