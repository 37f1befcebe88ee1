// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// One frame from the host, checked and taken apart. Texts and bytes point into the frame.
#pragma once

#include "wire.h"

struct exec_request {
  struct text id, cwd, user;
  uint16_t columns, rows;
  uint32_t open_files;
  struct text_list argv, env;
};

// `script` is not checked for NULs.
struct run_request {
  struct text session, id;
  const uint8_t *script;
  uint32_t length;
};

struct file_request {
  struct text user, path, to, owner;
  uint64_t offset, length;
  uint32_t mode, entries;
  uint8_t how, depth;
};

struct setup_request {
  struct text hostname, user;
  struct text_list env;
  uint32_t open_files;
};

struct message {
  uint8_t type, flags;
  uint32_t channel;
  union {
    uint32_t version;
    uint64_t token;
    uint16_t port;
    struct setup_request setup;
    struct exec_request exec;
    struct run_request run;
    struct file_request file;
    struct text release;
    struct { uint8_t stream; uint64_t acknowledged, limit; } window;
    struct { struct text id; uint64_t from[2]; } attach;
    struct { uint64_t offset; const uint8_t *data; uint32_t length; } input;
    struct { uint8_t number, target; } signal;
    struct { uint16_t columns, rows; } resize;
  };
};

// The payload's length that a header announces, or -1 when no such frame is allowed.
int32_t message_length(const uint8_t header[static 12]);

// Reads a whole frame, header and payload; false when the protocol does not allow it.
bool message_parse(const uint8_t *frame, size_t bytes, struct message *message);

// Whether a frame of this type opens its channel.
bool message_opens(uint8_t type);
