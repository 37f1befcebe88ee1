// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Finding execs.
#pragma once

#include "exec.h"

void exec_table_add_id(struct exec *exec);
void exec_table_add_pid(struct exec *exec);
void exec_table_remove_id(struct exec *exec);
void exec_table_remove_pid(struct exec *exec);
struct exec *exec_by_id(struct text id);
struct exec *exec_by_pid(pid_t pid);

// The next known exec after `exec`, the first after NULL.
struct exec *exec_next(struct exec *exec);

// How many the guest knows.
uint32_t exec_count(void);
