// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// What drives an exec from its start to its end.
#pragma once

#include "exec.h"

// For exec_start: the callbacks and the streams of a new exec.
bool exec_step(struct runner *runner);
void exec_report_ready(struct watch *watch, uint32_t events);
void exec_input_ready(struct watch *watch, uint32_t events);
void exec_stdout_ready(struct watch *watch, uint32_t events);
void exec_stderr_ready(struct watch *watch, uint32_t events);

// A session's command: it runs, or it cannot, or it ended.
void exec_began(struct exec *exec);
void exec_refuse(struct exec *exec, const struct spawn_report *report);
void exec_ended(struct exec *exec, int32_t code, uint8_t signal);

// Ends a start that failed in the guest itself; the exec is gone after it.
void exec_abandon(struct exec *exec);

// How many execs exist, those with living descendants only included.
extern uint32_t exec_records;
