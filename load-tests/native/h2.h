// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The least HTTP/2 (RFC 9113, clear text, prior knowledge) that measures a relay: frames, windows and
// prebuilt header blocks. Header blocks of the peer are never decoded.
#ifndef H2_H
#define H2_H
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8 };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4, PADDED = 8 };
enum { FRAME_MAX = 16384, CONNECTION_WINDOW = 1 << 30, STREAM_WINDOW = 1 << 20 };

struct buffer {
	uint8_t *bytes;
	size_t start, end, capacity;
};

struct connection;

struct stream {
	uint32_t id;
	bool open;
	bool queued;          // waits in the connection's list for a window
	bool stopped;         // nobody reads it: its window is not widened
	int64_t send_window;
	uint32_t unacknowledged;
	struct stream *next_blocked;
	struct buffer pending; // server: bytes to echo that no window let out yet
	void *state;           // the program's
};

struct handler {
	void (*opened)(struct connection *, struct stream *);
	void (*data)(struct connection *, struct stream *, const uint8_t *, size_t, bool end);
	void (*reset)(struct connection *, struct stream *);
	void (*writable)(struct connection *, struct stream *);
};

struct connection {
	int fd;
	bool server, dead, prefaced, wants_write;
	struct buffer in, out;
	int64_t send_window, initial_window;
	uint32_t unacknowledged, next_id;
	struct stream **streams; // by id / 2
	size_t stream_slots;
	struct stream *blocked;
	const struct handler *handler;
};

extern uint32_t h2_stream_window; // that this side grants, STREAM_WINDOW unless set before

void buffer_reserve(struct buffer *, size_t more);
void buffer_append(struct buffer *, const void *, size_t);
void buffer_free(struct buffer *);
static inline size_t buffer_size(const struct buffer *b) { return b->end - b->start; }

struct connection *h2_new(int fd, bool server, const struct handler *);
void h2_free(struct connection *);
struct stream *h2_open(struct connection *, const uint8_t *header_block, size_t size);
size_t h2_sendable(const struct connection *, const struct stream *);
void h2_data(struct connection *, struct stream *, const void *, size_t, bool end);
void h2_trailers(struct connection *, struct stream *);
void h2_headers(struct connection *, struct stream *);
void h2_reset(struct connection *, struct stream *, uint32_t code);
void h2_block(struct connection *, struct stream *);
bool h2_read(struct connection *);  // false when the peer is gone
bool h2_flush(struct connection *); // false when the peer is gone

size_t hpack_literal(uint8_t *at, const char *name, const char *value);
void set_nonblocking(int fd);
double seconds_now(void);
_Noreturn void fail(const char *what);
#endif
