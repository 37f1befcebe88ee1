// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "exec_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "exec_table.h"
#include "outbox.h"
#include "session.h"
#include "spawn.h"

uint32_t exec_records;

static struct exec *soonest, *latest;

static void grace_end(struct exec *exec) {
  if (!exec->deadline_ns) return;
  if (exec->earlier) exec->earlier->later = exec->later;
  else soonest = exec->later;
  if (exec->later) exec->later->earlier = exec->earlier;
  else latest = exec->earlier;
  exec->earlier = exec->later = NULL;
  exec->deadline_ns = 0;
}

// Every deadline is equally far away, so the newest is the last.
static void grace_begin(struct exec *exec) {
  grace_end(exec);
  exec->deadline_ns = now_ns() + DRAIN_GRACE_MS * 1000000ull;
  exec->earlier = latest;
  if (latest) latest->later = exec;
  else soonest = exec;
  latest = exec;
}

static void close_input(struct exec *exec) {
  if (exec->sink.fd < 0) return;
  sink_close(&exec->sink);
  loop_close(&exec->input);
}

static void close_output(struct exec *exec, int i) {
  if (exec->terminal) close_input(exec);
  loop_close(&exec->outputs[i]);
  exec->sources[i].fd = -1;
}

static void emptied_ready(struct watch *watch, uint32_t events) {
  (void)events;
  loop_wake(&container_of(watch, struct exec, emptied)->runner);
}

static void remove_cgroup(struct exec *exec) {
  if (!exec->has_cgroup) return;
  int error = cgroup_remove(exec->number);
  if (error == EBUSY && exec->emptied.fd < 0) {
    int fd = cgroup_events(exec->number);
    if (fd >= 0 && loop_watch(&exec->emptied, fd, EPOLLPRI, emptied_ready)) error = cgroup_remove(exec->number);
    else error = 0;
  }
  if (error == EBUSY) return;
  exec->has_cgroup = false;
  loop_close(&exec->emptied);
}

static bool outputs_ended(const struct exec *exec) { return exec->sources[0].ended && exec->sources[1].ended; }

static bool outputs_sent(const struct exec *exec) { return source_is_sent(&exec->sources[0]) && source_is_sent(&exec->sources[1]); }

static void finish(struct exec *exec) {
  grace_end(exec);
  exec->state = EXEC_FINISHED;
  if (exec->has_cgroup) cgroup_cpu_us(exec->number, &exec->cpu_us);
}

// Frees the exec if the host released it and nothing of it is left. Whether it did.
static bool forget(struct exec *exec) {
  if (exec->state < EXEC_FINISHED || !exec->reaped) return false;
  remove_cgroup(exec);
  if (exec->released && exec->told_exit) channel_unbind(&exec->channel);
  if (!exec->released || exec->channel.id) return false;
  exec_table_remove_id(exec);
  // Once its cgroup is gone nobody is left to write; without one only the end of the output says so.
  if (exec->has_cgroup || ((exec->in_session || !cgroup_is_there()) && !outputs_ended(exec))) return false;
  exec_abandon(exec);
  return true;
}

void exec_abandon(struct exec *exec) {
  grace_end(exec);
  loop_forget(&exec->runner);
  channel_unbind(&exec->channel);
  close_input(exec);
  for (int i = 0; i < 2; i++) {
    source_discard(&exec->sources[i]);
    close_output(exec, i);
  }
  loop_close(&exec->report);
  loop_close(&exec->emptied);
  exec_table_remove_id(exec);
  exec_records--;
  free(exec->failure);
  region_return(exec->region);
  loop_free(exec);
}

// A kernel that does not count says 0 of everybody. What a session's shell does itself, or waits for, is told at its own end only.
static bool storage_known(const struct exec *exec) {
  static int counted;
  if (!counted) counted = access("/proc/self/io", F_OK) ? -1 : 1;
  return counted > 0 && !exec->in_session;
}

static void count_storage(struct exec *exec, const struct rusage *usage) {
  exec->read_bytes += (uint64_t)usage->ru_inblock * 512;
  exec->written_bytes += (uint64_t)usage->ru_oublock * 512;
}

static void send_exit(struct exec *exec) {
  struct wire_out out = frame_begin(EXIT, 0, exec->channel.id);
  put_u32(&out, (uint32_t)exec->code);
  put_u8(&out, exec->signal);
  put_u64(&out, exec->wall_us);
  put_u64(&out, exec->cpu_us);
  put_u64(&out, exec->peak_bytes);
  put_u64(&out, exec->sources[0].ring.end);
  put_u64(&out, exec->sources[1].ring.end);
  put_u64(&out, storage_known(exec) ? exec->read_bytes : UINT64_MAX);
  put_u64(&out, storage_known(exec) ? exec->written_bytes : UINT64_MAX);
  frame_end(&out);
  exec->told_exit = true;
}

// Tells the host what it does not know yet. Whether output was sent, so that there may be more.
static bool tell(struct exec *exec) {
  uint32_t channel = exec->channel.id;
  if (!channel || exec->told_exit) return false;
  if (!exec->told_started) send_started(channel, (uint32_t)exec->pid, exec->sink.ring.end);
  exec->told_started = true;
  sink_tell(&exec->sink, channel);
  if (exec->input_closed && !exec->told_closed) {
    send_number(INPUT_CLOSED, channel, exec->sink.ring.end);
    exec->told_closed = true;
  }
  bool sent = source_send(&exec->sources[0], channel);
  sent |= source_send(&exec->sources[1], channel);
  if (exec->state == EXEC_FINISHED && outputs_sent(exec)) send_exit(exec);
  return sent && !exec->told_exit;
}

static void tell_failure(struct exec *exec) {
  if (!exec->channel.id) return;
  const struct spawn_report *report = exec->failure;
  if (!report) send_fail(exec->channel.id, FAIL_SYSTEM, ENOMEM, "memory");
  else if (!report->error) send_fail(exec->channel.id, report->kind, 0, "%s", report->step);
  else send_fail(exec->channel.id, report->kind, report->error, "%s: %s", report->step, strerror(report->error));
  channel_unbind(&exec->channel);
}

static void feed(struct exec *exec) {
  if (exec->sink.fd < 0) return;
  bool open = sink_drain(&exec->sink);
  if (!open && !exec->terminal) exec->input_closed = true;
  if ((!open && !exec->terminal) || sink_is_done(&exec->sink)) close_input(exec);
}

static bool fill(struct exec *exec) {
  bool filled = false;
  for (int i = 0; i < 2; i++) {
    struct source *source = &exec->sources[i];
    filled |= source_fill(source);
    if (source->hung && exec->reaped) source->ended = true;
    if (source->ended && source->fd >= 0) close_output(exec, i);
  }
  if (filled && exec->state == EXEC_EXITED) grace_begin(exec);
  return filled;
}

bool exec_step(struct runner *runner) {
  struct exec *exec = container_of(runner, struct exec, runner);
  if (exec->state == EXEC_FAILED) return tell_failure(exec), forget(exec), false;
  if (exec->state == EXEC_STARTING) return false;
  feed(exec);
  bool more = fill(exec);
  if (exec->state == EXEC_EXITED && outputs_ended(exec)) finish(exec);
  if (exec->state == EXEC_EXITED && !exec->deadline_ns) grace_begin(exec);
  more |= tell(exec);
  return !forget(exec) && more;
}

static void failed(struct exec *exec, const struct spawn_report *report) {
  exec->state = EXEC_FAILED;
  session_ended(exec);
  exec->released = true;
  exec->failure = malloc(sizeof *report);
  if (exec->failure) *exec->failure = *report;
  exec_table_remove_id(exec);
  close_input(exec);
  for (int i = 0; i < 2; i++) {
    exec->sources[i].ended = true;
    close_output(exec, i);
  }
}

static void return_region(struct exec *exec) {
  region_return(exec->region);
  exec->region = NULL;
}

static void started(struct exec *exec) {
  exec->state = EXEC_RUNNING;
  return_region(exec);
}

void exec_began(struct exec *exec) {
  started(exec);
  loop_wake(&exec->runner);
}

void exec_refuse(struct exec *exec, const struct spawn_report *report) {
  failed(exec, report);
  exec->reaped = true;
  loop_wake(&exec->runner);
}

void exec_report_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct exec *exec = container_of(watch, struct exec, report);
  struct spawn_report report;
  ssize_t got = read(watch->fd, &report, sizeof report);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  loop_close(watch);
  if (got == sizeof report) failed(exec, &report);
  else started(exec);
  loop_wake(&exec->runner);
}

void exec_input_ready(struct watch *watch, uint32_t events) {
  struct exec *exec = container_of(watch, struct exec, input);
  exec->sink.writable = true;
  if (events & EPOLLERR) {
    exec->input_closed = true;
    close_input(exec);
  }
  loop_wake(&exec->runner);
}

static void output_ready(struct exec *exec, int i, uint32_t events) {
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) exec->sources[i].readable = true;
  if (events & EPOLLOUT) exec->sink.writable = true;
  loop_wake(&exec->runner);
}

void exec_stdout_ready(struct watch *watch, uint32_t events) {
  output_ready(container_of(watch, struct exec, outputs[0]), 0, events);
}

void exec_stderr_ready(struct watch *watch, uint32_t events) {
  output_ready(container_of(watch, struct exec, outputs[1]), 1, events);
}

void exec_ended(struct exec *exec, int32_t code, uint8_t signal) {
  exec->reaped = true;
  exec->code = code;
  exec->signal = signal;
  exec->wall_us = (now_ns() - exec->started_ns) / 1000;
  if (exec->state != EXEC_FAILED) {
    exec->state = EXEC_EXITED;
    if (exec->sink.fd >= 0) exec->input_closed = true;
    close_input(exec);
    // Whatever was written before the exit is there to be read.
    exec->sources[0].readable = exec->sources[1].readable = true;
  }
  loop_wake(&exec->runner);
}

bool exec_reaped(pid_t pid, int status, const struct rusage *usage) {
  struct exec *exec = exec_by_pid(pid);
  if (!exec) return false;
  exec_table_remove_pid(exec);
  // All that the child will ever report is in the pipe.
  if (exec->state == EXEC_STARTING) exec_report_ready(&exec->report, EPOLLIN);
  return_region(exec);
  exec->cpu_us = (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
                 (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
  exec->peak_bytes = (uint64_t)usage->ru_maxrss * 1024;
  count_storage(exec, usage);
  exec_ended(exec, WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? (uint8_t)WTERMSIG(status) : 0);
  session_ended(exec);
  return true;
}

void exec_orphan_reaped(uint32_t number, const struct rusage *usage) {
  for (struct exec *exec = exec_next(NULL); exec; exec = exec_next(exec)) {
    if (exec->has_cgroup && exec->number == number) return count_storage(exec, usage);
  }
}

int exec_timeout_ms(void) {
  if (!soonest) return -1;
  uint64_t now = now_ns();
  return soonest->deadline_ns <= now ? 0 : (int)((soonest->deadline_ns - now) / 1000000 + 1);
}

// Output that waits for room is not silence; what nobody has written by now is no longer waited for.
static void end_grace(struct exec *exec) {
  grace_end(exec);
  for (int i = 0; i < 2; i++) {
    if (exec->sources[i].readable && !exec->sources[i].ended) return grace_begin(exec);
  }
  for (int i = 0; i < 2; i++) exec->sources[i].discarding = true;
  finish(exec);
  loop_wake(&exec->runner);
}

void exec_expire(void) {
  uint64_t now = now_ns();
  while (soonest && soonest->deadline_ns <= now) end_grace(soonest);
}
