// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = 64 };

struct freed {
  struct freed *next;
};

static int poller = -1;
static struct runner *first, *last;
static struct freed *freed;

void loop_open(void) {
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) abort();
}

bool loop_watch(struct watch *watch, int fd, uint32_t events, void (*ready)(struct watch *, uint32_t)) {
  watch->fd = fd;
  watch->ready = ready;
  struct epoll_event event = {.events = events | EPOLLET, .data.ptr = watch};
  if (!epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) return true;
  int error = errno;
  close(fd);
  watch->fd = -1;
  errno = error;
  return false;
}

void loop_close(struct watch *watch) {
  if (watch->fd < 0) return;
  // A child between fork and exec still holds the description, so closing alone would not end the events.
  epoll_ctl(poller, EPOLL_CTL_DEL, watch->fd, NULL);
  close(watch->fd);
  watch->fd = -1;
}

void loop_wake(struct runner *runner) {
  if (runner->previous || first == runner) return;
  runner->previous = last;
  runner->next = NULL;
  if (last) last->next = runner;
  else first = runner;
  last = runner;
}

void loop_forget(struct runner *runner) {
  if (!runner->previous && first != runner) return;
  if (runner->previous) runner->previous->next = runner->next;
  else first = runner->next;
  if (runner->next) runner->next->previous = runner->previous;
  else last = runner->previous;
  runner->next = runner->previous = NULL;
}

bool loop_run(unsigned turns, bool (*may_run)(void)) {
  while (first && turns-- && may_run()) {
    struct runner *runner = first;
    loop_forget(runner);
    if (runner->step(runner)) loop_wake(runner);
  }
  return first;
}

static void free_all(void) {
  while (freed) {
    struct freed *next = freed->next;
    free(freed);
    freed = next;
  }
}

bool loop_wait(int timeout_ms) {
  free_all();
  struct epoll_event events[BATCH];
  int count = epoll_wait(poller, events, BATCH, timeout_ms);
  for (int i = 0; i < count; i++) {
    struct watch *watch = events[i].data.ptr;
    if (watch->fd >= 0) watch->ready(watch, events[i].events);
  }
  return count > 0;
}

void loop_free(void *memory) {
  struct freed *entry = memory;
  entry->next = freed;
  freed = entry;
}
