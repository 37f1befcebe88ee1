// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "outbox.h"
#include "proto.h"

enum { RECORD_RING = 64 * 1024 };

static struct worker *workers;
static int count;

static void dispose(struct worker *worker) {
  struct worker **link = &workers;
  while (*link != worker) link = &(*link)->next;
  *link = worker->next;
  count--;
  if (worker->pid > 0) kill(worker->pid, SIGKILL);
  loop_forget(&worker->runner);
  channel_unbind(&worker->channel);
  sink_close(&worker->sink);
  source_discard(&worker->source);
  loop_close(&worker->report);
  loop_close(&worker->output);
  loop_close(&worker->input);
  loop_free(worker);
}

void worker_cancel(struct worker *worker) { dispose(worker); }

bool worker_reaped(pid_t pid) {
  struct worker *worker = workers;
  while (worker && worker->pid != pid) worker = worker->next;
  if (worker) worker->pid = 0;
  return worker;
}

static bool takes_input(const struct worker *worker) { return worker->type == WRITE || worker->type == EXTRACT; }

// The frames that the child's records become.
static uint8_t record_type(const struct worker *worker) {
  switch (worker->type) {
    case CHECKSUM: return DIGEST;
    case WATCH: return EVENT;
    default: return ENTRY;
  }
}

// Sends one record if it is there whole and the window allows. Whether it did.
static bool send_record(struct worker *worker) {
  struct source *source = &worker->source;
  uint8_t prefix[4];
  if (source->ring.end - source->sent < sizeof prefix) return false;
  ring_copy(&source->ring, source->sent, prefix, sizeof prefix);
  uint32_t length = (uint32_t)prefix[0] << 24 | (uint32_t)prefix[1] << 16 | (uint32_t)prefix[2] << 8 | prefix[3];
  if (source->ring.end - source->sent < sizeof prefix + length) return false;
  if (worker->entry_bytes + length > source->limit) return false;
  struct wire_out out = frame_begin(record_type(worker), 0, worker->channel.id);
  ring_copy(&source->ring, source->sent + sizeof prefix, out.at, length);
  out.at += length;
  frame_end(&out);
  worker->entry_bytes += length;
  source->sent += sizeof prefix + length;
  ring_drop(&source->ring, source->sent);
  return true;
}

static bool send_output(struct worker *worker) {
  if (worker->type == READ || worker->type == ARCHIVE) return source_send(&worker->source, worker->channel.id);
  bool sent = false;
  while (outbox_takes_data() && send_record(worker)) sent = true;
  return sent;
}

static void send_done(const struct worker *worker) {
  struct wire_out out = frame_begin(DONE, 0, worker->channel.id);
  put_u64(&out, worker->result.bytes);
  put_u64(&out, worker->result.entries);
  frame_end(&out);
}

static void end(struct worker *worker) {
  const struct worker_report *result = &worker->result;
  uint32_t channel = worker->channel.id;
  if (result->error) send_fail(channel, result->kind, result->error, "%s: %s", result->text, strerror(result->error));
  else if (result->kind) send_fail(channel, result->kind, 0, "%s", result->text);
  else if (takes_input(worker)) send_done(worker);
  else send_ok(channel);
  dispose(worker);
}

static void feed(struct worker *worker) {
  if (worker->sink.fd < 0) return;
  if (sink_drain(&worker->sink) && !sink_is_done(&worker->sink)) return;
  sink_close(&worker->sink);
  loop_close(&worker->input);
}

static bool step(struct runner *runner) {
  struct worker *worker = container_of(runner, struct worker, runner);
  feed(worker);
  if (worker->started && !worker->told_started) send_started(worker->channel.id, 0, 0);
  worker->told_started = worker->started;
  if (worker->started) sink_tell(&worker->sink, worker->channel.id);
  bool more = source_fill(&worker->source);
  more |= send_output(worker);
  if (!worker->finished || !worker->source.ended || !source_is_sent(&worker->source)) return more;
  end(worker);
  return false;
}

static void report_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct worker *worker = container_of(watch, struct worker, report);
  struct worker_report report;
  ssize_t got;
  while ((got = read(watch->fd, &report, sizeof report)) == sizeof report) {
    worker->started |= report.phase == REPORT_STARTED;
    if (report.phase != REPORT_FINISHED) continue;
    worker->finished = true;
    worker->result = report;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return loop_wake(&worker->runner);
  if (!worker->finished) worker->result = (struct worker_report){.kind = FAIL_SYSTEM, .error = EIO, .text = "file worker ended"};
  worker->finished = true;
  loop_close(watch);
  loop_wake(&worker->runner);
}

static void output_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct worker *worker = container_of(watch, struct worker, output);
  worker->source.readable = true;
  loop_wake(&worker->runner);
}

static void input_ready(struct watch *watch, uint32_t events) {
  struct worker *worker = container_of(watch, struct worker, input);
  worker->sink.writable = true;
  if (events & EPOLLERR) {
    sink_close(&worker->sink);
    loop_close(watch);
  }
  loop_wake(&worker->runner);
}

static int pipe_for(struct watch *watch, int ours, uint32_t events, void (*ready)(struct watch *, uint32_t)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  fcntl(ends[ours], F_SETFL, O_NONBLOCK);
  if (loop_watch(watch, ends[ours], events, ready)) return ends[!ours];
  close(ends[!ours]);
  return -1;
}

static bool open_pipes(struct worker *worker, struct file_pipes *pipes) {
  pipes->report = pipe_for(&worker->report, 0, EPOLLIN, report_ready);
  if (pipes->report < 0) return false;
  pipes->output = pipe_for(&worker->output, 0, EPOLLIN, output_ready);
  if (pipes->output < 0) return false;
  source_init(&worker->source, worker->output.fd, STREAM_OUT, false);
  worker->source.least = RECORD_RING;
  if (worker->type == STAT || worker->type == CHECKSUM) worker->source.limit = UINT64_MAX;
  if (!takes_input(worker)) return true;
  pipes->input = pipe_for(&worker->input, 1, EPOLLOUT, input_ready);
  if (pipes->input >= 0) sink_init(&worker->sink, worker->input.fd, false);
  return pipes->input >= 0;
}

static void close_if_open(int fd) {
  if (fd >= 0) close(fd);
}

static bool launch(struct worker *worker, const struct message *message) {
  struct file_pipes pipes = {-1, -1, -1};
  bool opened = open_pipes(worker, &pipes);
  worker->pid = opened ? files_spawn(message, &pipes) : -1;
  int error = errno;
  close_if_open(pipes.report);
  close_if_open(pipes.output);
  close_if_open(pipes.input);
  errno = error;
  return worker->pid > 0;
}

// What is wrong with a request before anything is tried; 0 when nothing is.
static int flaw(const struct message *message, const char **text) {
  const struct file_request *file = &message->file;
  *text = "path: not absolute";
  if (!file->path.length || file->path.at[0] != '/') return FAIL_BAD_REQUEST;
  *text = "to: not absolute";
  if (message->type == MOVE && (!file->to.length || file->to.at[0] != '/')) return FAIL_BAD_REQUEST;
  *text = "offset: only with resume";
  if (message->type == WRITE && file->how != WRITE_RESUME && file->offset) return FAIL_BAD_REQUEST;
  *text = "path";
  return file->path.length > PATH_BYTES_MAX || file->to.length > PATH_BYTES_MAX ? FAIL_SYSTEM : 0;
}

static int watches(void) {
  int found = 0;
  for (const struct worker *worker = workers; worker; worker = worker->next) found += worker->type == WATCH;
  return found;
}

void worker_start(const struct message *message) {
  const char *text;
  int kind = flaw(message, &text);
  if (kind) return send_fail(message->channel, (uint16_t)kind, kind == FAIL_SYSTEM ? ENAMETOOLONG : 0, "%s", text);
  if (count >= WORKERS_MAX) return send_fail(message->channel, FAIL_LIMIT, 0, "%d file operations", WORKERS_MAX);
  if (message->type == WATCH && watches() >= WATCHES_MAX) return send_fail(message->channel, FAIL_LIMIT, 0, "%d watches", WATCHES_MAX);
  struct worker *worker = calloc(1, sizeof *worker);
  if (!worker) return send_fail(message->channel, FAIL_SYSTEM, ENOMEM, "memory");
  worker->type = message->type;
  worker->runner.step = step;
  worker->report.fd = worker->output.fd = worker->input.fd = -1;
  sink_init(&worker->sink, -1, false);
  worker->next = workers;
  workers = worker;
  count++;
  if (launch(worker, message)) return channel_bind(&worker->channel, message->channel, CHANNEL_FILE);
  send_fail(message->channel, FAIL_SYSTEM, errno, "file worker: %s", strerror(errno));
  dispose(worker);
}

static void take_input(struct worker *worker, const struct message *message) {
  if (worker->sink.fd < 0) return;
  if (sink_take(&worker->sink, message->input.offset, message->input.data, message->input.length,
                message->flags & INPUT_END) == SINK_TAKEN) {
    return loop_wake(&worker->runner);
  }
  send_fail(worker->channel.id, FAIL_STATE, 0, "input: a gap, beyond the window or after the end");
  dispose(worker);
}

bool worker_take(struct worker *worker, const struct message *message) {
  switch (message->type) {
    case CANCEL: return dispose(worker), true;
    case WINDOW:
      source_window(&worker->source, message->window.acknowledged, message->window.limit);
      return loop_wake(&worker->runner), true;
    case INPUT: return takes_input(worker) && (take_input(worker, message), true);
    default: return false;
  }
}
