// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// What both clients send first: a connection to the relay and the headers of a call.
#ifndef REQUESTS_H
#define REQUESTS_H
#include "h2.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static inline size_t request_headers(uint8_t *block, const char *authorization) {
	size_t k = 0;
	k += hpack_literal(block + k, ":method", "POST");
	k += hpack_literal(block + k, ":scheme", "http");
	k += hpack_literal(block + k, ":path", "/sandgate.v1.Execs/Interact");
	k += hpack_literal(block + k, ":authority", "localhost");
	k += hpack_literal(block + k, "content-type", "application/grpc");
	k += hpack_literal(block + k, "te", "trailers");
	if (authorization) k += hpack_literal(block + k, "authorization", authorization);
	return k;
}

static inline struct connection *h2_connect(int port, const struct handler *handler) {
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&at, sizeof at)) fail("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	set_nonblocking(fd);
	return h2_new(fd, false, handler);
}
#endif
