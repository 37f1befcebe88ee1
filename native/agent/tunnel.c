// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "tunnel.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "dial.h"
#include "outbox.h"
#include "proto.h"

static int count;

static void dispose(struct tunnel *tunnel) {
  count--;
  loop_forget(&tunnel->runner);
  channel_unbind(&tunnel->channel);
  sink_close(&tunnel->sink);
  source_discard(&tunnel->source);
  loop_close(&tunnel->socket);
  loop_free(tunnel);
}

void tunnel_cancel(struct tunnel *tunnel) { dispose(tunnel); }

static void fail(struct tunnel *tunnel) {
  send_fail(tunnel->channel.id, FAIL_SYSTEM, tunnel->error, "port %u: %s", tunnel->port, strerror(tunnel->error));
  dispose(tunnel);
}

static void ready(struct watch *watch, uint32_t events);

// Starts connecting over the next family. False when there is none left.
static bool try_next(struct tunnel *tunnel, int family) {
  loop_close(&tunnel->socket);
  int fd = dial_loopback(family, tunnel->port);
  if (fd >= 0 && loop_watch(&tunnel->socket, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP, ready)) return true;
  if (!tunnel->error) tunnel->error = errno;
  return false;
}

static void connected(struct tunnel *tunnel) {
  int on = 1;
  setsockopt(tunnel->socket.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  tunnel->connected = true;
  tunnel->error = 0;
  tunnel->source.fd = tunnel->socket.fd;
  sink_init(&tunnel->sink, tunnel->socket.fd, false);
}

// Settles an attempt that has come to its end.
static void settle(struct tunnel *tunnel) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(tunnel->socket.fd, SOL_SOCKET, SO_ERROR, &error, &size)) error = errno;
  if (!error) return connected(tunnel);
  if (!tunnel->error) tunnel->error = error;
  if (!tunnel->second_family) {
    tunnel->second_family = true;
    if (try_next(tunnel, AF_INET6)) return;
  }
  loop_close(&tunnel->socket);
}

static void ready(struct watch *watch, uint32_t events) {
  struct tunnel *tunnel = container_of(watch, struct tunnel, socket);
  if (!tunnel->connected && events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) settle(tunnel);
  if (tunnel->connected && events & EPOLLOUT) tunnel->sink.writable = true;
  if (tunnel->connected && events & ~(uint32_t)EPOLLOUT) tunnel->source.readable = true;
  loop_wake(&tunnel->runner);
}

static void feed(struct tunnel *tunnel) {
  if (tunnel->sink.fd < 0) return;
  if (!sink_drain(&tunnel->sink)) {
    tunnel->error = errno;
    sink_close(&tunnel->sink);
  } else if (sink_is_done(&tunnel->sink)) {
    if (shutdown(tunnel->socket.fd, SHUT_WR)) tunnel->error = errno;
    tunnel->shut = true;
    sink_close(&tunnel->sink);
  }
}

static void tell_end(struct tunnel *tunnel) {
  struct wire_out out = frame_begin(OUTPUT, OUTPUT_END, tunnel->channel.id);
  put_u8(&out, STREAM_OUT);
  put_u64(&out, tunnel->source.sent);
  frame_end(&out);
  tunnel->told_end = true;
}

static bool step(struct runner *runner) {
  struct tunnel *tunnel = container_of(runner, struct tunnel, runner);
  if (tunnel->socket.fd < 0) return fail(tunnel), false;
  if (!tunnel->connected) return false;
  if (!tunnel->told_started) send_started(tunnel->channel.id, 0, 0);
  tunnel->told_started = true;
  feed(tunnel);
  sink_tell(&tunnel->sink, tunnel->channel.id);
  bool more = source_fill(&tunnel->source);
  more |= source_send(&tunnel->source, tunnel->channel.id);
  if (!tunnel->source.ended || !source_is_sent(&tunnel->source)) return more;
  if (tunnel->source.error && !tunnel->error) tunnel->error = tunnel->source.error;
  if (tunnel->error) return fail(tunnel), false;
  if (!tunnel->told_end) tell_end(tunnel);
  if (!tunnel->shut) return false;
  send_ok(tunnel->channel.id);
  dispose(tunnel);
  return false;
}

void tunnel_start(const struct message *message) {
  if (count >= CONNECTIONS_MAX) return send_fail(message->channel, FAIL_LIMIT, 0, "%d connections", CONNECTIONS_MAX);
  struct tunnel *tunnel = calloc(1, sizeof *tunnel);
  if (!tunnel) return send_fail(message->channel, FAIL_SYSTEM, ENOMEM, "memory");
  count++;
  tunnel->runner.step = step;
  tunnel->port = message->port;
  tunnel->socket.fd = -1;
  source_init(&tunnel->source, -1, STREAM_OUT, false);
  sink_init(&tunnel->sink, -1, false);
  channel_bind(&tunnel->channel, message->channel, CHANNEL_CONNECTION);
  if (try_next(tunnel, AF_INET)) return;
  tunnel->second_family = true;
  if (!try_next(tunnel, AF_INET6)) fail(tunnel);
}

static void take_input(struct tunnel *tunnel, const struct message *message) {
  if (tunnel->sink.fd < 0) return;
  if (sink_take(&tunnel->sink, message->input.offset, message->input.data, message->input.length,
                message->flags & INPUT_END) == SINK_TAKEN) {
    return loop_wake(&tunnel->runner);
  }
  send_fail(tunnel->channel.id, FAIL_STATE, 0, "input: a gap, beyond the window or after the end");
  dispose(tunnel);
}

bool tunnel_take(struct tunnel *tunnel, const struct message *message) {
  switch (message->type) {
    case CANCEL: return dispose(tunnel), true;
    case WINDOW:
      source_window(&tunnel->source, message->window.acknowledged, message->window.limit);
      return loop_wake(&tunnel->runner), true;
    case INPUT: return take_input(tunnel, message), true;
    default: return false;
  }
}
