// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The one thread's event loop: watched descriptors, and runners that take turns.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

// An owned descriptor; -1 when closed. `ready` gets the epoll events, edge-triggered.
struct watch {
  int fd;
  void (*ready)(struct watch *watch, uint32_t events);
};

// Something that has work to do in small pieces; `step` says whether there is more to do now.
struct runner {
  bool (*step)(struct runner *runner);
  struct runner *next, *previous;
};

void loop_open(void);

// Makes the watch own `fd`, which must be non-blocking. False when the kernel refuses; the descriptor is then closed.
bool loop_watch(struct watch *watch, int fd, uint32_t events, void (*ready)(struct watch *, uint32_t));

// Closes the descriptor of a watch, if it has one.
void loop_close(struct watch *watch);

// Puts a runner in the queue; nothing when it is there already.
void loop_wake(struct runner *runner);
void loop_forget(struct runner *runner);

// Gives every queued runner turns while `may_run` allows, at most `turns`. Whether some are left.
bool loop_run(unsigned turns, bool (*may_run)(void));

// Waits for events at most this long (-1: for ever) and handles them. False when none came.
bool loop_wait(int timeout_ms);

// Frees memory once no event of the current batch can refer to it. Its first pointer is overwritten at once, so no watch may stand there.
void loop_free(void *memory);
