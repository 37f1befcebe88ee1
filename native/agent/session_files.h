// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The directory of a session: named pipes by which its shell and the guest meet, and the script that is to be run. Only the
// session's user may enter it, and whatever stands there is opened without following links and without waiting.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "wire.h"

enum { SESSION_PATH_MAX = 48 };

struct session_files {
  int directory, control;  // -1 when there is none
  char path[SESSION_PATH_MAX];
};

// What a command's streams are read from and written to; -1 when it takes no input.
struct session_streams {
  int outputs[2], begun, input;
  int reader;  // keeps the input alive until the shell has opened it
};

// Makes the directory. The descriptor that statuses come from, or -1 with errno; then `remove` is still to be called.
int session_files_make(struct session_files *files, struct text user);

// Lays out the next command. False with errno; nothing is open then.
bool session_files_prepare(struct session_files *files, const uint8_t *script, size_t length, bool input, struct session_streams *streams);

// Lets the shell run it.
bool session_files_go(const struct session_files *files);

void session_files_remove(struct session_files *files);
