// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "h2.h"
#include "message.h"
#include "requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { MAX_WINDOW = 256, BUCKETS = 200000 };

struct session {
	uint8_t request[MESSAGE_SIZE], reply[MESSAGE_SIZE];
	uint32_t sent, received;
	unsigned outstanding;
	size_t have; // bytes of the reply that is arriving
	double sent_at[MAX_WINDOW];
};

static struct {
	int port, connections, streams;
	unsigned window;
	bool flood;
	double warmup, seconds;
	const char *prefix, *authorization;
} options;
static bool measuring;
static double now;
static uint64_t messages, bytes, errors, ended, histogram[BUCKETS];

static void send_message(struct connection *c, struct stream *s, struct session *z) {
	if (h2_sendable(c, s) < MESSAGE_SIZE) {
		h2_block(c, s);
		return;
	}
	message_number(z->request, z->sent);
	z->sent_at[z->sent++ % MAX_WINDOW] = now;
	z->outstanding++;
	h2_data(c, s, z->request, MESSAGE_SIZE, false);
}

static void fill_window(struct connection *c, struct stream *s) {
	struct session *z = s->state;
	unsigned window = options.flood ? 1 : options.window;
	while (s->open && z->outstanding < window && !s->queued) send_message(c, s, z);
}

static void received(struct session *z) {
	message_number(z->request, z->received);
	if (memcmp(z->request, z->reply, MESSAGE_SIZE)) errors++;
	double micros = (now - z->sent_at[z->received++ % MAX_WINDOW]) * 1e6;
	z->outstanding--;
	if (!measuring) return;
	messages++;
	histogram[micros < BUCKETS - 1 ? (size_t)micros : BUCKETS - 1]++;
}

static void data(struct connection *c, struct stream *s, const uint8_t *p, size_t size, bool end) {
	struct session *z = s->state;
	if (measuring) bytes += size;
	while (!options.flood && size > 0) {
		size_t n = MESSAGE_SIZE - z->have < size ? MESSAGE_SIZE - z->have : size;
		memcpy(z->reply + z->have, p, n);
		p += n, size -= n, z->have += n;
		if (z->have == MESSAGE_SIZE) z->have = 0, received(z);
	}
	if (end) s->open = false, ended++;
	else if (!options.flood) fill_window(c, s);
}

static void reset(struct connection *c, struct stream *s) {
	(void)c, (void)s;
	ended++;
}

static void opened(struct connection *c, struct stream *s) { (void)c, (void)s; }

static const struct handler HANDLER = {opened, data, reset, fill_window};

static void open_streams(struct connection *c, int index) {
	uint8_t block[1024];
	size_t size = request_headers(block, options.authorization);
	for (int i = index; i < options.streams; i += options.connections) {
		struct stream *s = h2_open(c, block, size);
		struct session *z = calloc(1, sizeof *z);
		if (!z) fail("calloc");
		message_build(z->request, options.prefix, (unsigned)i, options.flood ? 'F' : 'E');
		s->state = z;
		fill_window(c, s);
	}
}

static unsigned percentile(double share) {
	uint64_t want = (uint64_t)((double)messages * share), seen = 0;
	for (unsigned i = 0; i < BUCKETS; i++)
		if ((seen += histogram[i]) > want) return i;
	return 0;
}

static void report(double seconds) {
	printf("{\"messages\":%lu,\"bytes\":%lu,\"errors\":%lu,\"ended\":%lu,\"seconds\":%.3f,\"p50_micros\":%u,"
	       "\"p99_micros\":%u,\"p999_micros\":%u}\n", messages, bytes, errors, ended, seconds,
	       percentile(0.5), percentile(0.99), percentile(0.999));
	fflush(stdout);
}

static void on_event(int epoll, struct connection *c) {
	if (!h2_read(c) || !h2_flush(c)) {
		fprintf(stderr, "connection lost\n");
		exit(1);
	}
	bool wants = buffer_size(&c->out) > 0;
	if (wants == c->wants_write) return;
	struct epoll_event e = {.events = wants ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = c};
	epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &e);
	c->wants_write = wants;
}

static void run(int epoll) {
	double start = seconds_now(), from = start + options.warmup, to = from + options.seconds;
	struct epoll_event events[64];
	while ((now = seconds_now()) < to) {
		if (!measuring && now >= from) {
			measuring = true;
			puts("measuring"); // tells the harness to read the relay's CPU time
			fflush(stdout);
		}
		int n = epoll_wait(epoll, events, 64, 20);
		now = seconds_now();
		for (int i = 0; i < n; i++) on_event(epoll, events[i].data.ptr);
	}
	report(now - from);
}

int load(int argc, char **argv) {
	options.port = atoi(argv[0]);
	options.flood = !strcmp(argv[1], "flood");
	options.connections = atoi(argv[2]);
	options.streams = atoi(argv[3]);
	options.window = (unsigned)atoi(argv[4]);
	options.warmup = atof(argv[5]);
	options.seconds = atof(argv[6]);
	options.prefix = argv[7];
	options.authorization = argc > 8 ? argv[8] : NULL;
	if (options.window < 1 || options.window > MAX_WINDOW || options.connections < 1) return 2;
	int epoll = epoll_create1(0);
	now = seconds_now();
	for (int i = 0; i < options.connections; i++) {
		struct connection *c = h2_connect(options.port, &HANDLER);
		open_streams(c, i);
		h2_flush(c);
		c->wants_write = true;
		struct epoll_event e = {.events = EPOLLIN | EPOLLOUT, .data.ptr = c};
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e)) fail("epoll_ctl");
	}
	run(epoll);
	return errors ? 1 : 0;
}
