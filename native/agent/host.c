// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "channel.h"
#include "exec.h"
#include "exec_table.h"
#include "loop.h"
#include "outbox.h"
#include "proto.h"
#include "region.h"
#include "ring.h"
#include "sandbox.h"
#include "session.h"
#include "tunnel.h"
#include "worker.h"

enum { INBOX = 128 * 1024, SMALL = 4096 };

static struct watch listener = {.fd = -1}, client = {.fd = -1};
static uint8_t *inbox;
static size_t inbox_used, inbox_peak;
static uint32_t highest_channel;
static bool greeted, readable, closing;

static void unbind(struct channel *channel) {
  switch (channel->kind) {
    case CHANNEL_EXEC: return exec_unbind(container_of(channel, struct exec, channel));
    case CHANNEL_FILE: return worker_cancel(container_of(channel, struct worker, channel));
    case CHANNEL_CONNECTION: return tunnel_cancel(container_of(channel, struct tunnel, channel));
  }
}

void host_reset(void) {
  for (struct channel *channel; (channel = channel_any());) unbind(channel);
  outbox_clear();
  inbox_used = 0;
  highest_channel = 0;
  greeted = readable = closing = false;
}

static void disconnect(void) {
  loop_close(&client);
  host_reset();
}

static uint32_t features(void) {
  struct stat status;
  uint32_t bits = cgroup_is_there() ? FEATURE_CGROUPS : 0;
  if (!stat("/dev/ptmx", &status) && S_ISCHR(status.st_mode)) bits |= FEATURE_PTYS;
  return sandbox.set_up ? bits | FEATURE_SET_UP : bits;
}

// One WELCOME with as many ids as fit from `from` on; the exec to go on with, NULL at the end.
static struct exec *welcome(struct exec *from) {
  struct exec *last = from;
  uint16_t count = 0;
  size_t bytes = 18;
  for (; last && bytes + 2 + EXEC_ID_MAX <= FRAME_PAYLOAD_MAX; last = exec_next(last), count++) bytes += 2 + strlen(last->id);
  struct wire_out out = frame_begin(WELCOME, last ? WELCOME_MORE : 0, 0);
  put_u32(&out, PROTOCOL_VERSION);
  put_u64(&out, sandbox.boot_id);
  put_u32(&out, features());
  put_u16(&out, count);
  for (struct exec *exec = from; exec != last; exec = exec_next(exec)) put_text(&out, exec->id, strlen(exec->id));
  frame_end(&out);
  return last;
}

static bool greet(uint32_t version) {
  if (greeted) return false;
  greeted = true;
  closing = version != PROTOCOL_VERSION;
  struct exec *exec = welcome(exec_next(NULL));
  while (exec) exec = welcome(exec);
  return true;
}

static void open_channel(const struct message *message) {
  highest_channel = message->channel;
  switch (message->type) {
    case EXEC: exec_start(message); return;
    case ATTACH: return exec_attach(message);
    case CONNECT: return tunnel_start(message);
    case SESSION_OPEN: return session_open(message);
    case SESSION_RUN: return session_run(message);
    default: return worker_start(message);
  }
}

static bool to_exec(struct exec *exec, const struct message *message) {
  switch (message->type) {
    case CANCEL: return exec_unbind(exec), true;
    case WINDOW: return exec_window(exec, message), true;
    case INPUT: return exec_input(exec, message), true;
    case SIGNAL: return exec_signal(exec, message->signal.number, message->signal.target), true;
    case RESIZE: return exec_resize(exec, message->resize.columns, message->resize.rows), true;
    default: return false;
  }
}

static bool to_channel(const struct message *message) {
  struct channel *channel = channel_find(message->channel);
  if (!channel) return message->channel <= highest_channel;
  switch (channel->kind) {
    case CHANNEL_EXEC: return to_exec(container_of(channel, struct exec, channel), message);
    case CHANNEL_FILE: return worker_take(container_of(channel, struct worker, channel), message);
    case CHANNEL_CONNECTION: return tunnel_take(container_of(channel, struct tunnel, channel), message);
  }
  return false;
}

static bool handle(const struct message *message) {
  if (!greeted && message->type != HELLO) return false;
  if (message_opens(message->type)) {
    if (message->channel <= highest_channel) return false;
    open_channel(message);
    return true;
  }
  switch (message->type) {
    case HELLO: return greet(message->version);
    case PING: return send_number(PONG, 0, message->token), true;
    case SETUP: return sandbox_set_up(&message->setup), true;
    case STATS: return sandbox_stats(message->channel), true;
    case RELEASE: return exec_release(message), true;
    default: return to_channel(message);
  }
}

bool host_take(const uint8_t *bytes, size_t length, size_t *taken) {
  *taken = 0;
  while (length - *taken >= FRAME_HEADER && outbox_takes_answers() && !closing) {
    int32_t payload = message_length(bytes + *taken);
    if (payload < 0) return false;
    size_t frame = FRAME_HEADER + (size_t)payload;
    if (length - *taken < frame) break;
    struct message message;
    if (!message_parse(bytes + *taken, frame, &message) || !handle(&message)) return false;
    *taken += frame;
  }
  return true;
}

// Reads once. False when the connection ended.
static bool receive_some(void) {
  if (!inbox) {
    inbox = mmap(NULL, INBOX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (inbox == MAP_FAILED) abort();
  }
  ssize_t got = read(client.fd, inbox + inbox_used, INBOX - inbox_used);
  if (got < 0) {
    readable = errno == EINTR;
    return errno == EAGAIN || errno == EINTR;
  }
  inbox_used += (size_t)got;
  if (inbox_used > inbox_peak) inbox_peak = inbox_used;
  return got > 0;
}

bool host_receive(void) {
  if (client.fd < 0 || !outbox_takes_answers() || closing) return false;
  if (inbox_used < INBOX && readable && !receive_some()) return disconnect(), false;
  size_t taken;
  if (inbox_used && !host_take(inbox, inbox_used, &taken)) {
    outbox_flush(client.fd);
    return disconnect(), false;
  }
  if (inbox_used && taken) {
    memmove(inbox, inbox + taken, inbox_used - taken);
    inbox_used -= taken;
  }
  return readable && outbox_takes_answers();
}

bool host_flush(void) {
  if (client.fd < 0) return true;
  if (!outbox_flush(client.fd)) return disconnect(), true;
  if (closing && outbox_empty()) disconnect();
  return outbox_empty();
}

bool host_is_large(void) { return inbox_peak > SMALL || outbox_is_large() || region_is_kept() || ring_is_kept(); }

void host_trim(void) {
  outbox_trim();
  region_trim();
  ring_trim();
  inbox_peak = inbox_used;
  if (!inbox || inbox_used) return;
  munmap(inbox, INBOX);
  inbox = NULL;
}

static void client_ready(struct watch *watch, uint32_t events) {
  (void)watch;
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP)) readable = true;
}

static void listener_ready(struct watch *watch, uint32_t events) {
  (void)events;
  int fd;
  while ((fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    disconnect();
    if (loop_watch(&client, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP, client_ready)) readable = true;
  }
}

void host_open(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  if (!loop_watch(&listener, fd, EPOLLIN, listener_ready)) abort();
}
