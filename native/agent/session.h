// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A persistent shell: an exec that runs one command after the other in itself. Each command is an exec of its own to the
// host, with streams of its own: named pipes in a directory that only the session's user may enter, which the shell opens
// around the command. The end of a command is its status on a pipe of the session and the end of its outputs.
#pragma once

#include "exec.h"

void session_open(const struct message *message);
void session_run(const struct message *message);

// The shell ended, or could not be started.
void session_ended(struct exec *shell);

// Signals what a session's command runs: everything of the session but its shell.
void session_signal(const struct exec *command, uint8_t number, uint8_t target);
