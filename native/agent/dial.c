// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_to(int fd, int family, uint16_t port) {
  if (family == AF_INET6) {
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    return connect(fd, (struct sockaddr *)&to, sizeof to);
  }
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return connect(fd, (struct sockaddr *)&to, sizeof to);
}

int dial_loopback(int family, uint16_t port) {
  int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || !connect_to(fd, family, port) || errno == EINPROGRESS) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}
