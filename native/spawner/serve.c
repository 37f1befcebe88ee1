// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "serve.h"
#include "kernel.h"
#include "request.h"
#include "trash.h"
#include "upper.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

// One poll loop. A connection's requests are answered in order; one that waits for the kernel stops its connection
// only. A client that does not take its answers is closed after a while, so that it cannot stop the others.

enum { CONNECTIONS_MOST = 64, SEND_SECONDS = 2, RETRY_MS = 5, INPUT_ROOM = FRAME_HEADER + FRAME_MOST };

struct connection {
  int fd; ///< -1 when the peer has gone while its work goes on
  size_t have;
  uint8_t *input;
  struct work work;
};

static struct connection *connections[CONNECTIONS_MOST];
static size_t connected;
static bool stopping;

static void answer_frame(struct connection *connection, enum outcome outcome, struct writer *answer,
                         const struct fault *fault) {
  if (outcome == FAILED) {
    answer->used = FRAME_HEADER;
    write_u16(answer, (uint16_t)fault->step);
    write_u32(answer, (uint32_t)fault->error);
    write_str(answer, fault->text);
  }
  patch_u32(answer, 0, (uint32_t)(answer->used - FRAME_HEADER));
  answer->bytes[4] = outcome == FAILED ? ANSWER_FAIL : ANSWER_OK;
  size_t sent = 0;
  while (connection->fd >= 0 && sent < answer->used) {
    ssize_t count = send(connection->fd, answer->bytes + sent, answer->used - sent, MSG_NOSIGNAL);
    if (count <= 0) {
      close(connection->fd);
      connection->fd = -1;
      return;
    }
    sent += (size_t)count;
  }
}

static void start_answer(struct writer *answer) {
  static const uint8_t header[FRAME_HEADER];
  answer->used = 0;
  for (size_t i = 0; i < sizeof header; i++) {
    write_u8(answer, header[i]);
  }
}

static void hang_up(struct connection *connection) {
  if (connection->fd >= 0) {
    close(connection->fd);
  }
  connection->fd = -1;
}

/// Acts on what a request came to.
static void settle(struct connection *connection, enum outcome outcome, struct writer *answer,
                   const struct fault *fault) {
  switch (outcome) {
  case DONE:
  case FAILED: answer_frame(connection, outcome, answer, fault); break;
  case STOPPING:
    answer_frame(connection, DONE, answer, fault);
    stopping = true;
    break;
  case BROKEN: hang_up(connection); break;
  case WAITING: break;
  }
}

/// Handles the first frame of the input when it is whole; false when there is nothing to do now.
static bool handle_frame(struct host *host, struct connection *connection, struct writer *answer) {
  struct fault fault = {0};
  if (connection->fd < 0 || connection->work.kind != NO_WORK || connection->have < FRAME_HEADER || stopping) {
    return false;
  }
  struct reader header = {.at = connection->input, .end = connection->input + FRAME_HEADER};
  uint32_t length = read_u32(&header);
  enum request_type type = read_u8(&header);
  if (length > FRAME_MOST) {
    hang_up(connection);
    return false;
  }
  size_t whole = FRAME_HEADER + length;
  if (connection->have < whole) {
    return false;
  }
  struct reader fields = {.at = connection->input + FRAME_HEADER, .end = connection->input + whole};
  start_answer(answer);
  settle(connection, request_handle(host, type, &fields, &connection->work, answer, &fault), answer, &fault);
  connection->have -= whole;
  memmove(connection->input, connection->input + whole, connection->have);
  return true;
}

static void receive(struct host *host, struct connection *connection, struct writer *answer) {
  ssize_t count =
      recv(connection->fd, connection->input + connection->have, INPUT_ROOM - connection->have, MSG_DONTWAIT);
  if (count <= 0) {
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      hang_up(connection);
    }
    return;
  }
  connection->have += (size_t)count;
  while (handle_frame(host, connection, answer)) {
  }
}

static void advance(struct host *host, struct connection *connection, struct writer *answer) {
  struct fault fault = {0};
  start_answer(answer);
  settle(connection, work_continue(host, &connection->work, answer, &fault), answer, &fault);
  while (handle_frame(host, connection, answer)) {
  }
}

static void accept_one(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0) {
    return;
  }
  struct timeval patience = {.tv_sec = SEND_SECONDS};
  struct connection *connection = connected < CONNECTIONS_MOST ? calloc(1, sizeof *connection) : NULL;
  uint8_t *input = connection == NULL ? NULL : malloc(INPUT_ROOM);
  if (input == NULL || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0) {
    free(input);
    free(connection);
    close(fd);
    return;
  }
  connection->fd = fd;
  connection->input = input;
  connections[connected++] = connection;
}

/// Forgets the connections that are closed and have nothing under way.
static void forget_closed(void) {
  for (size_t i = connected; i-- > 0;) {
    if (connections[i]->fd < 0 && connections[i]->work.kind == NO_WORK) {
      free(connections[i]->input);
      free(connections[i]);
      connections[i] = connections[--connected];
    }
  }
}

/// What to wait for: per connection its work, else its socket. The timeout covers what the kernel does not announce.
static int prepare(struct pollfd *watched, int listener) {
  int timeout = -1;
  watched[0] = (struct pollfd){.fd = listener, .events = POLLIN};
  watched[1] = (struct pollfd){.fd = trash_watch(), .events = POLLIN};
  for (size_t i = 0; i < connected; i++) {
    const struct connection *connection = connections[i];
    bool working = connection->work.kind != NO_WORK;
    watched[i + 2] = working ? work_watch(&connection->work) : (struct pollfd){.fd = connection->fd, .events = POLLIN};
    timeout = working ? RETRY_MS : timeout;
  }
  return timeout;
}

void serve(struct host *host, int listener) {
  struct pollfd watched[CONNECTIONS_MOST + 2];
  struct writer answer = {0};
  trash_start(host);
  while (!stopping) {
    int timeout = prepare(watched, listener);
    size_t count = connected;
    int events = poll(watched, count + 2, 0);
    if (events == 0 && timeout < 0 && upper_prepare(host)) {
      continue;
    }
    events = events == 0 ? poll(watched, count + 2, timeout) : events;
    if (events < 0 && errno != EINTR) {
      break;
    }
    for (size_t i = 0; i < count; i++) {
      if (connections[i]->work.kind != NO_WORK) {
        advance(host, connections[i], &answer);
      } else if (watched[i + 2].revents != 0) {
        receive(host, connections[i], &answer);
      }
    }
    if (watched[1].revents != 0) {
      trash_ended(host);
    }
    if (watched[0].revents != 0) {
      accept_one(listener);
    }
    forget_closed();
  }
  free(answer.bytes);
}
