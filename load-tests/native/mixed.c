// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Open-loop load: messages are due at fixed times whatever became of those before, and a message's time begins
// when it was due, not when it could be sent. Some of the streams flood, or flood and are read no more.
#include "h2.h"
#include "message.h"
#include "requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum { CLIENT_WINDOW = 65535 }; // what gRPC clients begin with
static const double STALLED_SECONDS = 1;

struct session {
	uint8_t request[MESSAGE_SIZE], reply[MESSAGE_SIZE];
	unsigned number;                    // among the interactive ones
	uint32_t scheduled, sent, received; // messages; flood: received
	size_t have;                        // bytes of the message that is arriving
	bool special, stalled;
};

static struct {
	int connections, streams, special;
	bool stop;
	double rate, warmup, seconds;
} options;
static struct stream **interactive, **special;
static struct connection **home;   // of each interactive stream
static double begin, from, to;
static uint64_t answered, errors, ended, flood_bytes;
static float *micros;              // of each message due within the measured time
static size_t measured;
static double longest;
static uint8_t filling[65536];

static unsigned people(void) { return (unsigned)(options.streams - options.special); }

static double due(const struct session *z, uint32_t message) {
	return begin + ((double)message * people() + z->number) / options.rate;
}

static void take(struct session *z, uint32_t message, double now) {
	double at = due(z, message), waited = now - at;
	z->stalled |= waited >= STALLED_SECONDS;
	if (at < from || at >= to) return;
	micros[measured++] = (float)(waited * 1e6);
	if (waited > longest) longest = waited;
}

static void send_scheduled(struct connection *c, struct stream *s) {
	struct session *z = s->state;
	while (!z->special && s->open && z->sent < z->scheduled) {
		if (h2_sendable(c, s) < MESSAGE_SIZE) {
			h2_block(c, s);
			return;
		}
		message_number(z->request, z->sent++);
		h2_data(c, s, z->request, MESSAGE_SIZE, false);
	}
}

static void received(struct session *z) {
	message_number(z->request, z->received);
	if (memcmp(z->request, z->reply, MESSAGE_SIZE)) errors++;
	take(z, z->received++, seconds_now());
	answered++;
}

static void echoed(struct session *z, const uint8_t *p, size_t size) {
	while (size > 0) {
		size_t n = MESSAGE_SIZE - z->have < size ? MESSAGE_SIZE - z->have : size;
		memcpy(z->reply + z->have, p, n);
		p += n, size -= n, z->have += n;
		if (z->have == MESSAGE_SIZE) z->have = 0, received(z);
	}
}

// Every byte and every number is checked, whatever pieces they come in.
static void flooded(struct session *z, const uint8_t *p, size_t size) {
	flood_bytes += size;
	while (size > 0) {
		uint8_t head[FLOOD_HEAD];
		flood_head(head, z->received);
		size_t n;
		if (z->have < FLOOD_HEAD) {
			n = FLOOD_HEAD - z->have < size ? FLOOD_HEAD - z->have : size;
			errors += memcmp(head + z->have, p, n) != 0;
		} else {
			n = FLOOD_MESSAGE - z->have < size ? FLOOD_MESSAGE - z->have : size;
			errors += memcmp(filling, p, n) != 0;
		}
		p += n, size -= n, z->have += n;
		if (z->have == FLOOD_MESSAGE) z->have = 0, z->received++;
	}
}

static void data(struct connection *c, struct stream *s, const uint8_t *p, size_t size, bool end) {
	(void)c;
	struct session *z = s->state;
	if (z->special) flooded(z, p, size);
	else echoed(z, p, size);
	if (end) s->open = false, ended++;
}

static void reset(struct connection *c, struct stream *s) {
	(void)c, (void)s;
	ended++;
}

static void opened(struct connection *c, struct stream *s) { (void)c, (void)s; }

static const struct handler HANDLER = {opened, data, reset, send_scheduled};

static struct stream *open_stream(struct connection *c, const char *prefix, const char *authorization, int index, bool floods) {
	uint8_t block[1024];
	struct stream *s = h2_open(c, block, request_headers(block, authorization));
	struct session *z = calloc(1, sizeof *z);
	if (!z) fail("calloc");
	z->special = floods;
	message_build(z->request, prefix, (unsigned)index, floods ? 'F' : 'E');
	s->state = z;
	if (floods) h2_data(c, s, z->request, MESSAGE_SIZE, false);
	return s;
}

// Both kinds are spread evenly over the connections.
static void open_streams(struct connection **all, const char *prefix, const char *authorization) {
	for (int i = 0; i < options.special; i++)
		special[i] = open_stream(all[i % options.connections], prefix, authorization, i, true);
	for (unsigned i = 0; i < people(); i++) {
		home[i] = all[i % (unsigned)options.connections];
		interactive[i] = open_stream(home[i], prefix, authorization, options.special + (int)i, false);
		((struct session *)interactive[i]->state)->number = i;
	}
}

static void finish_event(int epoll, struct connection *c) {
	if (!h2_flush(c)) fail("connection lost");
	bool wants = buffer_size(&c->out) > 0;
	if (wants == c->wants_write) return;
	struct epoll_event e = {.events = wants ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = c};
	epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &e);
	c->wants_write = wants;
}

static double next_due(uint64_t next) { return begin + (double)next / options.rate; }

// All that are due, however late it is: none is left out because this process had no time.
static uint64_t send_due(int epoll, uint64_t next, double now) {
	for (; next_due(next) <= now && next_due(next) < to; next++) {
		unsigned i = (unsigned)(next % people());
		((struct session *)interactive[i]->state)->scheduled++;
		send_scheduled(home[i], interactive[i]);
		finish_event(epoll, home[i]);
	}
	return next;
}

static bool outstanding(void) {
	for (unsigned i = 0; i < people(); i++) {
		struct session *z = interactive[i]->state;
		if (z->received < z->scheduled) return true;
	}
	return false;
}

static void stop_reading(void) {
	for (int i = 0; i < options.special; i++) special[i]->stopped = true;
}

static void wait_for_events(int epoll, double seconds) {
	struct epoll_event events[64];
	seconds = seconds < 0 ? 0 : seconds > 0.02 ? 0.02 : seconds;
	struct timespec timeout = {.tv_nsec = (long)(seconds * 1e9)};
	int n = epoll_pwait2(epoll, events, 64, &timeout, NULL);
	for (int i = 0; i < n; i++) {
		if (!h2_read(events[i].data.ptr)) fail("connection lost");
		finish_event(epoll, events[i].data.ptr);
	}
}

static void run(int epoll) {
	begin = seconds_now(), from = begin + options.warmup, to = from + options.seconds;
	uint64_t next = 0;
	double now;
	while ((now = seconds_now()) < to + STALLED_SECONDS && (next_due(next) < to || outstanding())) {
		if (options.stop && now > begin + options.warmup / 2) stop_reading();
		next = send_due(epoll, next, now);
		wait_for_events(epoll, next_due(next) - seconds_now());
	}
}

static unsigned count_stalled(double now) {
	unsigned stalled = 0;
	for (unsigned i = 0; i < people(); i++) {
		struct session *z = interactive[i]->state;
		for (uint32_t k = z->received; k < z->scheduled; k++) take(z, k, now);
		stalled += z->stalled;
	}
	return stalled;
}

static void report(const char *file) {
	unsigned stalled = count_stalled(seconds_now());
	FILE *f = fopen(file, "w");
	if (!f || fwrite(micros, sizeof *micros, measured, f) != measured || fclose(f)) fail(file);
	printf("{\"measured\":%zu,\"answered\":%lu,\"errors\":%lu,\"ended\":%lu,\"stalled\":%u,\"longest_micros\":%.0f,"
	       "\"flood_bytes\":%lu}\n", measured, answered, errors, ended, stalled, longest * 1e6, flood_bytes);
}

int mixed(int argc, char **argv) {
	int port = atoi(argv[0]);
	options.stop = !strcmp(argv[1], "stop");
	options.connections = atoi(argv[2]);
	options.streams = atoi(argv[3]);
	options.special = atoi(argv[4]);
	options.rate = atof(argv[5]);
	options.warmup = atof(argv[6]);
	options.seconds = atof(argv[7]);
	if (options.connections < 1 || options.special >= options.streams || options.rate <= 0) return 2;
	h2_stream_window = CLIENT_WINDOW;
	memset(filling, FLOOD_FILLING, sizeof filling);
	interactive = calloc(people(), sizeof *interactive);
	special = calloc((size_t)options.special + 1, sizeof *special);
	home = calloc(people(), sizeof *home);
	micros = calloc((size_t)(options.rate * options.seconds) + people() + 1, sizeof *micros);
	struct connection **all = calloc((size_t)options.connections, sizeof *all);
	if (!interactive || !special || !home || !micros || !all) fail("calloc");
	int epoll = epoll_create1(0);
	for (int i = 0; i < options.connections; i++) {
		all[i] = h2_connect(port, &HANDLER);
		struct epoll_event e = {.events = EPOLLIN, .data.ptr = all[i]};
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, all[i]->fd, &e)) fail("epoll_ctl");
	}
	open_streams(all, argv[8], argc > 10 ? argv[10] : NULL);
	for (int i = 0; i < options.connections; i++) finish_event(epoll, all[i]);
	run(epoll);
	report(argv[9]);
	return errors ? 1 : 0;
}
