// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "ask.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { NAME_ROOM = 72, PAUSE_MS = 50 };

struct question {
  char name[NAME_ROOM];
  uint64_t from;
  uint32_t length;
  uint32_t unused;
};

static int64_t clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int connect_to(const char *path, uint32_t timeout_ms) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  struct timeval most = {.tv_sec = timeout_ms / 1000, .tv_usec = (suseconds_t)(timeout_ms % 1000) * 1000};
  if (strlen(path) >= sizeof to.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(to.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return -1;
  }
  // Who connects to a node that hangs waits as who writes: as long as SO_SNDTIMEO says.
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

static bool is_away(int error) {
  return error == ENOENT || error == ECONNREFUSED;
}

static int connect_in_time(const char *path, uint32_t timeout_ms) {
  int64_t deadline = clock_ms() + timeout_ms;
  struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
  int fd = connect_to(path, timeout_ms);
  while (fd < 0 && is_away(errno) && clock_ms() < deadline) {
    nanosleep(&pause, NULL);
    fd = connect_to(path, timeout_ms);
  }
  return fd;
}

static int receive(int fd, void *room, size_t length) {
  for (size_t have = 0; have < length;) {
    ssize_t got = recv(fd, (char *)room + have, length - have, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got == 0 ? ENODATA : errno;
    }
    have += (size_t)got;
  }
  return 0;
}

int ask(const char *socket_path, const char *name, void *room, size_t length, uint64_t from, uint32_t timeout_ms) {
  struct question question = {.from = from, .length = (uint32_t)length};
  strncpy(question.name, name, NAME_ROOM - 1);
  int fd = connect_in_time(socket_path, timeout_ms);
  if (fd < 0) {
    return errno;
  }
  uint32_t refused = 0;
  int error = send(fd, &question, sizeof question, MSG_NOSIGNAL) == (ssize_t)sizeof question ? 0 : errno;
  error = error == 0 ? receive(fd, &refused, sizeof refused) : error;
  error = error == 0 ? (int)refused : error;
  error = error == 0 ? receive(fd, room, length) : error;
  close(fd);
  return error;
}
