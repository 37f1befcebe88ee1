// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "descendants.h"
#include "exec_run.h"
#include "exec_table.h"
#include "outbox.h"
#include "sandbox.h"
#include "session.h"
#include "spawn.h"

static uint32_t last_number;

static const char *flaw(const struct exec_request *request) {
  if (!request->id.length || request->id.length > EXEC_ID_MAX) return "id: 1 to 64 bytes";
  if (!request->argv.count) return "argv: empty";
  if (request->cwd.length && request->cwd.at[0] != '/') return "cwd: not absolute";
  if (!environment_is_valid(request->env)) return "env: not NAME=value";
  return NULL;
}

// Answers a request that cannot be tried; whether it was one.
static bool refused(const struct message *message) {
  const struct exec_request *request = &message->exec;
  const char *what = flaw(request);
  if (what) send_fail(message->channel, FAIL_BAD_REQUEST, 0, "%s", what);
  else if (request->argv.bytes + request->env.bytes > ARGUMENT_BYTES_MAX)
    send_fail(message->channel, FAIL_SYSTEM, E2BIG, "argv and env: over 60 KiB");
  else if (request->open_files > sandbox.own_open_files.rlim_max)
    send_fail(message->channel, FAIL_SYSTEM, EPERM, "open-file limit: over the sandbox's %llu",
              (unsigned long long)sandbox.own_open_files.rlim_max);
  else if (exec_by_id(request->id)) send_fail(message->channel, FAIL_EXISTS, 0, "exec exists");
  else if (exec_records >= EXECS_MAX) send_fail(message->channel, FAIL_LIMIT, 0, "%d execs", EXECS_MAX);
  else return false;
  return true;
}

struct exec *exec_create(struct text id, uint32_t channel, uint8_t flags, bool has_cgroup) {
  struct exec *exec = calloc(1, sizeof *exec);
  if (!exec) return NULL;
  exec->runner.step = exec_step;
  exec->terminal = flags & EXEC_TERMINAL;
  exec->takes_input = exec->terminal || flags & EXEC_STDIN;
  exec->has_cgroup = has_cgroup;
  exec->report.fd = exec->input.fd = exec->outputs[0].fd = exec->outputs[1].fd = exec->emptied.fd = -1;
  sink_init(&exec->sink, -1, false);
  text_copy(id, exec->id, sizeof exec->id);
  exec_table_add_id(exec);
  exec_records++;
  channel_bind(&exec->channel, channel, CHANNEL_EXEC);
  return exec;
}

// A pipe whose `ours` end (0 or 1) is watched and whose other end is for the command, or -1.
static int pipe_for(struct watch *watch, int ours, uint32_t events, void (*ready)(struct watch *, uint32_t)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  fcntl(ends[ours], F_SETFL, O_NONBLOCK);
  if (loop_watch(watch, ends[ours], events, ready)) return ends[!ours];
  close(ends[!ours]);
  return -1;
}

static bool open_pipes(struct exec *exec, struct spawn *spawn) {
  for (int i = 0; i < 2; i++) {
    spawn->outputs[i] = pipe_for(&exec->outputs[i], 0, EPOLLIN, i ? exec_stderr_ready : exec_stdout_ready);
    if (spawn->outputs[i] < 0) return false;
    source_init(&exec->sources[i], exec->outputs[i].fd, (uint8_t)(STREAM_OUT + i), true);
  }
  if (!exec->takes_input) return true;
  spawn->input = pipe_for(&exec->input, 1, EPOLLOUT, exec_input_ready);
  if (spawn->input < 0) return false;
  sink_init(&exec->sink, exec->input.fd, false);
  return true;
}

static bool open_terminal(struct exec *exec, struct spawn *spawn, const struct exec_request *request) {
  int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (master < 0) return false;
  struct winsize size = {.ws_col = request->columns, .ws_row = request->rows};
  int locked = 0;
  if (ioctl(master, TIOCSPTLCK, &locked) || ioctl(master, TIOCSWINSZ, &size)) {
    close(master);
    return false;
  }
  if (!loop_watch(&exec->outputs[0], master, EPOLLIN | EPOLLOUT, exec_stdout_ready)) return false;
  spawn->master = master;
  source_init(&exec->sources[0], master, STREAM_OUT, true);
  source_init(&exec->sources[1], -1, STREAM_ERR, true);
  exec->sources[1].ended = true;
  sink_init(&exec->sink, master, true);
  return true;
}

static bool launch(struct exec *exec, struct spawn *spawn, const struct message *message, const char **step) {
  *step = exec->terminal ? "terminal" : "streams";
  if (exec->terminal ? !open_terminal(exec, spawn, &message->exec) : !open_pipes(exec, spawn)) return false;
  spawn->report = pipe_for(&exec->report, 0, EPOLLIN, exec_report_ready);
  if (spawn->report < 0) return false;
  exec->started_ns = now_ns();
  exec->pid = spawn_command(message, spawn, &exec->region);
  if (exec->pid < 0) return *step = "start", false;
  exec_table_add_pid(exec);
  return true;
}

static void close_if_open(int fd) {
  if (fd >= 0) close(fd);
}

struct exec *exec_start(const struct message *message) {
  if (refused(message)) return NULL;
  struct exec *exec = exec_create(message->exec.id, message->channel, message->flags, cgroup_is_there());
  if (!exec) return send_fail(message->channel, FAIL_SYSTEM, ENOMEM, "memory"), NULL;
  exec->number = ++last_number;
  struct spawn spawn = {message->exec, exec->number, exec->has_cgroup, -1, {-1, -1}, -1, -1};
  const char *step;
  bool launched = launch(exec, &spawn, message, &step);
  int error = errno;
  close_if_open(spawn.input);
  close_if_open(spawn.outputs[0]);
  close_if_open(spawn.outputs[1]);
  close_if_open(spawn.report);
  if (launched) return exec;
  send_fail(message->channel, FAIL_SYSTEM, error, "%s: %s", step, strerror(error));
  exec_abandon(exec);
  return NULL;
}

static bool is_beyond(const struct exec *exec, const uint64_t from[2]) {
  return from[0] > exec->sources[0].ring.end || from[1] > exec->sources[1].ring.end;
}

void exec_attach(const struct message *message) {
  struct exec *exec = exec_by_id(message->attach.id);
  if (!exec || exec->released) return send_fail(message->channel, FAIL_NOT_FOUND, 0, "no such exec");
  if (is_beyond(exec, message->attach.from))
    return send_fail(message->channel, FAIL_STATE, 0, "output ends at %llu and %llu",
                     (unsigned long long)exec->sources[0].ring.end, (unsigned long long)exec->sources[1].ring.end);
  channel_unbind(&exec->channel);
  channel_bind(&exec->channel, message->channel, CHANNEL_EXEC);
  for (int i = 0; i < 2; i++) source_rewind(&exec->sources[i], message->attach.from[i]);
  sink_forget_told(&exec->sink);
  exec->told_started = exec->told_closed = exec->told_exit = false;
  loop_wake(&exec->runner);
}

static void discard_output(struct exec *exec) {
  for (int i = 0; i < 2; i++) source_discard(&exec->sources[i]);
  loop_wake(&exec->runner);
}

void exec_release(const struct message *message) {
  struct exec *exec = exec_by_id(message->release);
  if (exec && !exec->released) {
    exec->released = true;
    if (exec->told_exit) channel_unbind(&exec->channel);
    if (!exec->channel.id) discard_output(exec);
    loop_wake(&exec->runner);
  }
  send_ok(message->channel);
}

void exec_unbind(struct exec *exec) {
  channel_unbind(&exec->channel);
  if (exec->released) discard_output(exec);
}

static void refuse_input(const struct exec *exec, const char *why) {
  send_fail(exec->channel.id, FAIL_STATE, 0, "stdin: %s, %llu bytes accepted", why, (unsigned long long)exec->sink.ring.end);
}

void exec_input(struct exec *exec, const struct message *message) {
  if (!exec->takes_input) return refuse_input(exec, "not open");
  if (exec->input_closed) return;
  if (exec->sink.fd < 0) {
    if (message->input.offset + message->input.length > exec->sink.ring.end) refuse_input(exec, "ended");
    return;
  }
  switch (sink_take(&exec->sink, message->input.offset, message->input.data, message->input.length, message->flags & INPUT_END)) {
    case SINK_TAKEN: return loop_wake(&exec->runner);
    case SINK_GAP: return refuse_input(exec, "a gap");
    case SINK_BEYOND: return refuse_input(exec, "beyond the window");
    case SINK_AFTER_END: return refuse_input(exec, "ended");
  }
}

static void signal_group(const struct exec *exec, int number) {
  pid_t group = exec->reaped ? 0 : exec->pid;
  if (exec->terminal && exec->outputs[0].fd >= 0) ioctl(exec->outputs[0].fd, TIOCGPGRP, &group);
  if (group <= 0) return;
  // Before its setsid the command has no group of its own.
  if (kill(-group, number) && errno == ESRCH && !exec->reaped) kill(exec->pid, number);
}

static void kill_tree(const struct exec *exec) {
  if (exec->in_session) return;
  if (exec->has_cgroup) cgroup_kill(exec->number);
  else if (!cgroup_is_there() && (!exec->reaped || !exec_by_pid(exec->pid))) descendants_kill(exec->pid, exec->reaped);
  if (!exec->reaped) kill(exec->pid, SIGKILL);
}

void exec_signal(struct exec *exec, uint8_t number, uint8_t target) {
  if (exec->in_session) return session_signal(exec, number, target);
  switch (target) {
    case TARGET_PROCESS:
      if (!exec->reaped) kill(exec->pid, number);
      break;
    case TARGET_GROUP: signal_group(exec, number); break;
    default: kill_tree(exec);
  }
}

void exec_kill_all(void) {
  for (struct exec *exec = exec_next(NULL); exec; exec = exec_next(exec)) {
    kill_tree(exec);
    session_ended(exec);
  }
}

void exec_resize(struct exec *exec, uint16_t columns, uint16_t rows) {
  struct winsize size = {.ws_col = columns, .ws_row = rows};
  if (exec->terminal && exec->outputs[0].fd >= 0) ioctl(exec->outputs[0].fd, TIOCSWINSZ, &size);
}

void exec_window(struct exec *exec, const struct message *message) {
  struct source *source = &exec->sources[message->window.stream - STREAM_OUT];
  source_window(source, message->window.acknowledged, message->window.limit);
  loop_wake(&exec->runner);
}
