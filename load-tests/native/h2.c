// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "h2.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

uint32_t h2_stream_window = STREAM_WINDOW;

static const char PREFACE[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

_Noreturn void fail(const char *what) {
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

double seconds_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void set_nonblocking(int fd) {
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)) fail("fcntl");
}

void buffer_reserve(struct buffer *b, size_t more) {
	if (b->end + more <= b->capacity) return;
	memmove(b->bytes, b->bytes + b->start, buffer_size(b));
	b->end -= b->start;
	b->start = 0;
	while (b->end + more > b->capacity) b->capacity = b->capacity ? b->capacity * 2 : 4096;
	b->bytes = realloc(b->bytes, b->capacity);
	if (!b->bytes) fail("realloc");
}

void buffer_append(struct buffer *b, const void *bytes, size_t size) {
	buffer_reserve(b, size);
	memcpy(b->bytes + b->end, bytes, size);
	b->end += size;
}

void buffer_free(struct buffer *b) {
	free(b->bytes);
	*b = (struct buffer){0};
}

static uint32_t get32(const uint8_t *p) {
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put32(uint8_t *p, uint32_t v) {
	p[0] = (uint8_t)(v >> 24), p[1] = (uint8_t)(v >> 16), p[2] = (uint8_t)(v >> 8), p[3] = (uint8_t)v;
}

static void frame(struct connection *c, int type, int flags, uint32_t id, const void *payload, size_t size) {
	uint8_t header[9] = {(uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size, (uint8_t)type, (uint8_t)flags};
	put32(header + 5, id);
	buffer_append(&c->out, header, sizeof header);
	buffer_append(&c->out, payload, size);
}

static void window_update(struct connection *c, uint32_t id, uint32_t by) {
	uint8_t payload[4];
	put32(payload, by);
	frame(c, WINDOW_UPDATE, 0, id, payload, sizeof payload);
}

// Literal without indexing, new name, no Huffman: both under 127 bytes.
size_t hpack_literal(uint8_t *at, const char *name, const char *value) {
	size_t n = strlen(name), v = strlen(value), k = 0;
	at[k++] = 0;
	at[k++] = (uint8_t)n;
	memcpy(at + k, name, n), k += n;
	at[k++] = (uint8_t)v;
	memcpy(at + k, value, v);
	return k + v;
}

struct connection *h2_new(int fd, bool server, const struct handler *handler) {
	struct connection *c = calloc(1, sizeof *c);
	if (!c) fail("calloc");
	*c = (struct connection){.fd = fd, .server = server, .prefaced = !server, .handler = handler, .next_id = 1};
	c->send_window = c->initial_window = 65535;
	if (!server) buffer_append(&c->out, PREFACE, sizeof PREFACE - 1);
	uint8_t settings[12] = {0, 4, 0, 0, 0, 0, 0, 3};
	put32(settings + 2, h2_stream_window);
	put32(settings + 8, 200000);
	frame(c, SETTINGS, 0, 0, settings, server ? 12 : 6);
	window_update(c, 0, CONNECTION_WINDOW - 65535);
	return c;
}

void h2_free(struct connection *c) {
	for (size_t i = 0; i < c->stream_slots; i++)
		if (c->streams[i]) {
			buffer_free(&c->streams[i]->pending);
			free(c->streams[i]->state);
			free(c->streams[i]);
		}
	free(c->streams);
	buffer_free(&c->in);
	buffer_free(&c->out);
	close(c->fd);
	free(c);
}

static struct stream *add_stream(struct connection *c, uint32_t id) {
	size_t slot = id / 2, slots = c->stream_slots ? c->stream_slots : 64;
	while (slots <= slot) slots *= 2;
	if (slots != c->stream_slots) {
		c->streams = realloc(c->streams, slots * sizeof *c->streams);
		if (!c->streams) fail("realloc");
		memset(c->streams + c->stream_slots, 0, (slots - c->stream_slots) * sizeof *c->streams);
		c->stream_slots = slots;
	}
	struct stream *s = calloc(1, sizeof *s);
	if (!s) fail("calloc");
	*s = (struct stream){.id = id, .open = true, .send_window = c->initial_window};
	return c->streams[slot] = s;
}

static struct stream *find(struct connection *c, uint32_t id) {
	return id / 2 < c->stream_slots ? c->streams[id / 2] : NULL;
}

struct stream *h2_open(struct connection *c, const uint8_t *block, size_t size) {
	struct stream *s = add_stream(c, c->next_id);
	c->next_id += 2;
	frame(c, HEADERS, END_HEADERS, s->id, block, size);
	return s;
}

void h2_headers(struct connection *c, struct stream *s) {
	uint8_t block[64] = {0x88}; // :status 200
	size_t size = 1 + hpack_literal(block + 1, "content-type", "application/grpc");
	frame(c, HEADERS, END_HEADERS, s->id, block, size);
}

void h2_trailers(struct connection *c, struct stream *s) {
	uint8_t block[32];
	frame(c, HEADERS, END_HEADERS | END_STREAM, s->id, block, hpack_literal(block, "grpc-status", "0"));
	s->open = false;
}

void h2_reset(struct connection *c, struct stream *s, uint32_t code) {
	uint8_t payload[4];
	put32(payload, code);
	frame(c, RST_STREAM, 0, s->id, payload, sizeof payload);
	s->open = false;
}

size_t h2_sendable(const struct connection *c, const struct stream *s) {
	int64_t window = c->send_window < s->send_window ? c->send_window : s->send_window;
	return !s->open || window <= 0 ? 0 : window > FRAME_MAX ? FRAME_MAX : (size_t)window;
}

void h2_data(struct connection *c, struct stream *s, const void *bytes, size_t size, bool end) {
	frame(c, DATA, end ? END_STREAM : 0, s->id, bytes, size);
	c->send_window -= (int64_t)size;
	s->send_window -= (int64_t)size;
}

void h2_block(struct connection *c, struct stream *s) {
	if (s->queued) return;
	s->queued = true;
	s->next_blocked = c->blocked;
	c->blocked = s;
}

static void unblock(struct connection *c) {
	struct stream *s = c->blocked;
	c->blocked = NULL;
	while (s) {
		struct stream *next = s->next_blocked;
		s->queued = false;
		if (s->open) c->handler->writable(c, s);
		s = next;
	}
}

static void on_data(struct connection *c, uint32_t id, int flags, const uint8_t *p, size_t size) {
	struct stream *s = find(c, id);
	c->unacknowledged += (uint32_t)size;
	if (c->unacknowledged >= STREAM_WINDOW) window_update(c, 0, c->unacknowledged), c->unacknowledged = 0;
	if (!s || !s->open) return;
	bool end = flags & END_STREAM;
	s->unacknowledged += (uint32_t)size;
	if (!end && !s->stopped && s->unacknowledged >= h2_stream_window / 2) {
		window_update(c, id, s->unacknowledged);
		s->unacknowledged = 0;
	}
	size_t pad = flags & PADDED ? 1u + p[0] : 0;
	if (pad <= size) c->handler->data(c, s, p + (pad != 0), size - pad, end);
}

static void on_settings(struct connection *c, int flags, const uint8_t *p, size_t size) {
	if (flags & ACK) return;
	for (size_t i = 0; i + 6 <= size; i += 6)
		if (p[i] == 0 && p[i + 1] == 4) {
			int64_t change = (int64_t)get32(p + i + 2) - c->initial_window;
			c->initial_window += change;
			for (size_t k = 0; k < c->stream_slots; k++)
				if (c->streams[k]) c->streams[k]->send_window += change;
		}
	frame(c, SETTINGS, ACK, 0, NULL, 0);
	unblock(c);
}

static void on_window_update(struct connection *c, uint32_t id, const uint8_t *p) {
	struct stream *s = id ? find(c, id) : NULL;
	if (!id) c->send_window += get32(p);
	else if (s) s->send_window += get32(p);
	unblock(c);
}

static void on_frame(struct connection *c, int type, int flags, uint32_t id, const uint8_t *p, size_t size) {
	struct stream *s;
	switch (type) {
	case DATA: on_data(c, id, flags, p, size); break;
	case HEADERS:
		s = find(c, id);
		if (c->server && !s) c->handler->opened(c, add_stream(c, id));
		else if (!c->server && s && s->open && flags & END_STREAM) c->handler->data(c, s, p, 0, true);
		break;
	case RST_STREAM:
		s = find(c, id);
		if (s && s->open) s->open = false, c->handler->reset(c, s);
		break;
	case SETTINGS: on_settings(c, flags, p, size); break;
	case PING: if (!(flags & ACK)) frame(c, PING, ACK, 0, p, size); break;
	case WINDOW_UPDATE: if (size == 4) on_window_update(c, id, p); break;
	case GOAWAY: c->dead = true; break;
	default: break;
	}
}

static void parse(struct connection *c) {
	if (!c->prefaced) {
		if (buffer_size(&c->in) < sizeof PREFACE - 1) return;
		c->in.start += sizeof PREFACE - 1;
		c->prefaced = true;
	}
	while (buffer_size(&c->in) >= 9) {
		uint8_t *h = c->in.bytes + c->in.start;
		size_t size = (size_t)h[0] << 16 | (size_t)h[1] << 8 | h[2];
		if (buffer_size(&c->in) < 9 + size) return;
		c->in.start += 9 + size;
		on_frame(c, h[3], h[4], get32(h + 5) & 0x7fffffff, h + 9, size);
	}
}

bool h2_read(struct connection *c) {
	for (int rounds = 0; rounds < 4; rounds++) {
		buffer_reserve(&c->in, 131072);
		ssize_t n = read(c->fd, c->in.bytes + c->in.end, 131072);
		if (n < 0 && errno == EAGAIN) return true;
		if (n <= 0) return false;
		c->in.end += (size_t)n;
		parse(c);
		if (n < 131072) return true;
	}
	return true;
}

bool h2_flush(struct connection *c) {
	while (buffer_size(&c->out)) {
		ssize_t n = send(c->fd, c->out.bytes + c->out.start, buffer_size(&c->out), MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN) return true;
		if (n < 0) return false;
		c->out.start += (size_t)n;
	}
	c->out.start = c->out.end = 0;
	return true;
}
