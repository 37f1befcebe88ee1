// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// What SETUP said about the sandbox, and what the guest was started with.
#pragma once

#include <stdbool.h>
#include <sys/resource.h>

#include "message.h"

struct sandbox {
  char user[256];
  struct text_list env;          // owned
  struct rlimit open_files;      // of a command that asks for nothing
  struct rlimit own_open_files;  // the guest's at its start
  bool set_up;
  bool first_process;            // PID 1 of its namespace, not a plain process in a test
  uint64_t boot_id, started_ns;
};

extern struct sandbox sandbox;

// Raises the guest's own descriptor limit and draws the boot id.
void sandbox_open(bool first_process);

void sandbox_set_up(const struct setup_request *request);
void sandbox_stats(uint32_t channel);

// Whether every text is NAME=value with a name.
bool environment_is_valid(struct text_list env);
