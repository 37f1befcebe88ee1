// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "h2.h"
#include "message.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OUT_LIMIT = 262144 };

struct mode {
	bool known, flood, ended;
	size_t flood_at;
	uint32_t flood_number;
};

static uint8_t flood_bytes[FLOOD_MESSAGE];
static int epoll;

static void push_flood(struct connection *c, struct stream *s) {
	struct mode *m = s->state;
	size_t n;
	while (buffer_size(&c->out) < OUT_LIMIT && (n = h2_sendable(c, s)) > 0) {
		size_t left = FLOOD_MESSAGE - m->flood_at;
		n = n < left ? n : left;
		flood_head(flood_bytes, m->flood_number);
		h2_data(c, s, flood_bytes + m->flood_at, n, false);
		m->flood_at += n;
		if (m->flood_at == FLOOD_MESSAGE) m->flood_at = 0, m->flood_number++;
	}
	h2_block(c, s);
}

static void push_echo(struct connection *c, struct stream *s) {
	struct mode *m = s->state;
	while (buffer_size(&s->pending)) {
		size_t n = h2_sendable(c, s), have = buffer_size(&s->pending);
		if (!n) {
			h2_block(c, s);
			return;
		}
		n = n < have ? n : have;
		h2_data(c, s, s->pending.bytes + s->pending.start, n, false);
		s->pending.start += n;
	}
	buffer_free(&s->pending);
	if (m->ended) h2_trailers(c, s);
}

static void writable(struct connection *c, struct stream *s) {
	if (((struct mode *)s->state)->flood) push_flood(c, s);
	else push_echo(c, s);
}

static void opened(struct connection *c, struct stream *s) {
	s->state = calloc(1, sizeof(struct mode));
	if (!s->state) fail("calloc");
	h2_headers(c, s);
}

static void data(struct connection *c, struct stream *s, const uint8_t *p, size_t size, bool end) {
	struct mode *m = s->state;
	m->ended |= end;
	if (!m->known && size > 0) {
		m->known = true;
		m->flood = message_kind(p, size) == 'F';
	}
	if (m->flood) {
		push_flood(c, s);
		return;
	}
	size_t n = h2_sendable(c, s);
	if (!buffer_size(&s->pending) && size && n >= size) h2_data(c, s, p, size, false);
	else buffer_append(&s->pending, p, size);
	push_echo(c, s);
}

static void reset(struct connection *c, struct stream *s) {
	(void)c;
	buffer_free(&s->pending);
}

static const struct handler HANDLER = {opened, data, reset, writable};

static int listen_on(int port) {
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 512)) fail("listen");
	return fd;
}

static void watch(int op, int fd, uint32_t events, void *with) {
	struct epoll_event e = {.events = events, .data.ptr = with};
	if (epoll_ctl(epoll, op, fd, &e)) fail("epoll_ctl");
}

static void accept_one(int listener) {
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), one = 1;
	if (fd < 0) return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	struct connection *c = h2_new(fd, true, &HANDLER);
	h2_flush(c);
	watch(EPOLL_CTL_ADD, fd, EPOLLIN, c);
}

static void refill_floods(struct connection *c) {
	struct stream *s = c->blocked;
	c->blocked = NULL;
	while (s) {
		struct stream *next = s->next_blocked;
		s->queued = false;
		if (s->open) writable(c, s);
		s = next;
	}
}

static void on_event(struct connection *c, uint32_t events) {
	bool alive = !(events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || h2_read(c);
	alive = alive && h2_flush(c);
	while (alive && c->blocked && !buffer_size(&c->out)) {
		refill_floods(c);
		if (!buffer_size(&c->out)) break;
		alive = h2_flush(c);
	}
	if (!alive) {
		h2_free(c);
		return;
	}
	bool wants = buffer_size(&c->out) > 0;
	if (wants != c->wants_write) watch(EPOLL_CTL_MOD, c->fd, wants ? EPOLLIN | EPOLLOUT : EPOLLIN, c);
	c->wants_write = wants;
}

int serve(int port) {
	struct epoll_event events[64];
	memset(flood_bytes, FLOOD_FILLING, sizeof flood_bytes);
	epoll = epoll_create1(0);
	int listener = listen_on(port);
	watch(EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		int n = epoll_wait(epoll, events, 64, -1);
		for (int i = 0; i < n; i++) {
			if (events[i].data.ptr) on_event(events[i].data.ptr, events[i].events);
			else accept_one(listener);
		}
	}
}
