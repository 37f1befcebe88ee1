// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// One command: its process, its streams and its record. STARTING → RUNNING → EXITED (reaped) → FINISHED (output ended);
// a command that could not be started goes from STARTING to FAILED. The record is freed when the host released it and
// nothing of the command is left.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "channel.h"
#include "loop.h"
#include "message.h"
#include "proto.h"
#include "sink.h"
#include "source.h"

enum exec_state { EXEC_STARTING, EXEC_RUNNING, EXEC_EXITED, EXEC_FINISHED, EXEC_FAILED };

struct exec {
  struct channel channel;
  struct runner runner;
  enum exec_state state;
  pid_t pid;
  uint32_t number;                 // of its sub-cgroup
  bool reaped, has_cgroup, terminal, takes_input, released;
  bool input_closed;               // by the command, not by the host's end
  bool is_shell, in_session;       // a session's shell, a session's command
  bool told_started, told_closed, told_exit;
  struct spawn_report *failure;    // owned, until the host was told
  struct session *session;         // whose shell it is, until that ended
  struct session *within;          // that runs it now
  struct region *region;           // lent to the child while it starts
  struct watch report, input, outputs[2], emptied;
  struct source sources[2];
  struct sink sink;
  int32_t code;
  uint8_t signal;
  uint64_t started_ns, wall_us, cpu_us, peak_bytes;
  uint64_t read_bytes, written_bytes;  // from and to storage
  uint64_t deadline_ns;            // of the grace for output after the exit; 0 when not waiting
  struct exec *later, *earlier;    // in the order of deadlines
  struct exec *next_by_id, *next_by_pid;
  char id[EXEC_ID_MAX + 1];
};

// Requests; each answers by itself. `start` gives the exec, NULL when nothing was started.
struct exec *exec_start(const struct message *message);
void exec_attach(const struct message *message);
void exec_release(const struct message *message);
void exec_input(struct exec *exec, const struct message *message);
void exec_signal(struct exec *exec, uint8_t number, uint8_t target);
void exec_resize(struct exec *exec, uint16_t columns, uint16_t rows);
void exec_window(struct exec *exec, const struct message *message);

// A new exec, bound to the channel, without streams; NULL without memory.
struct exec *exec_create(struct text id, uint32_t channel, uint8_t flags, bool has_cgroup);

// The host stops listening.
void exec_unbind(struct exec *exec);

// A child was reaped; whether it was an exec's.
bool exec_reaped(pid_t pid, int status, const struct rusage *usage);

// A descendant whose parents are gone was reaped, out of a sub-cgroup.
void exec_orphan_reaped(uint32_t number, const struct rusage *usage);

// Milliseconds until exec_expire has something to do, -1 for never.
int exec_timeout_ms(void);
void exec_expire(void);

// Kills every tree and ends every session.
void exec_kill_all(void);
