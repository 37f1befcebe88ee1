// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "demand.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// What is here is answered by the thread that asks. The rest waits in a queue for a few threads that may hang in a
// medium that does; a clock answers for them when a read's time is up, and they drop it whenever they come back.
// One lock guards the list of reads, who is bringing which chunk, and the images' reference counts.

// The kernel asks again for what it read ahead in vain, two or three times for one reader: after a read that was too late,
// those that follow it closely fail with it.

enum { FETCHERS = 16, TICK_MS = 50, LATE_MS = 500, FETCH_STACK = 128 << 10 };

struct read {
  struct read *next;
  struct parts *parts;
  uint64_t unique;
  uint64_t from;
  size_t length;
  int64_t deadline_ms;
  bool taken;
  bool answered;
};

struct fetcher {
  struct parts *parts; ///< NULL while it brings nothing
  uint64_t chunk;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;
static pthread_cond_t brought = PTHREAD_COND_INITIALIZER;
static struct read *reads;
static struct read **last = &reads;
static struct fetcher fetchers[FETCHERS];
static demand_answer *answer;

static int64_t clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void demand_hold(struct parts *parts) {
  pthread_mutex_lock(&lock);
  parts->references++;
  pthread_mutex_unlock(&lock);
}

void demand_release(struct parts *parts) {
  pthread_mutex_lock(&lock);
  bool unused = --parts->references == 0;
  pthread_mutex_unlock(&lock);
  if (unused) {
    parts_close(parts);
  }
}

static void deliver(const struct parts *parts, uint64_t unique, uint64_t from, size_t length) {
  char *bytes = malloc(length);
  ssize_t count = bytes == NULL ? -1 : pread(parts->image, bytes, length, (off_t)from);
  int error = count == (ssize_t)length ? 0 : EIO;
  answer(unique, error, bytes, error == 0 ? length : 0);
  free(bytes);
}

/// Holds the lock. Whether another brings this chunk, of this image or of the same opened once more.
static bool is_coming(const struct parts *parts, uint64_t chunk) {
  for (size_t i = 0; i < FETCHERS; i++) {
    const struct fetcher *other = &fetchers[i];
    if (other->parts != NULL && other->chunk == chunk && other->parts->identity == parts->identity) {
      return true;
    }
  }
  return false;
}

static int bring(struct fetcher *own, struct parts *parts, uint64_t chunk, void *room) {
  uint64_t from = chunk * parts->chunk;
  size_t length = parts->size - from < parts->chunk ? (size_t)(parts->size - from) : parts->chunk;
  pthread_mutex_lock(&lock);
  while (is_coming(parts, chunk)) {
    pthread_cond_wait(&brought, &lock);
  }
  bool here = parts_here(parts, from, length);
  own->parts = here ? NULL : parts;
  own->chunk = chunk;
  pthread_mutex_unlock(&lock);
  if (here) {
    return 0;
  }
  int error = parts_fetch(parts, chunk, room);
  pthread_mutex_lock(&lock);
  own->parts = NULL;
  pthread_cond_broadcast(&brought);
  pthread_mutex_unlock(&lock);
  return error;
}

/// Brings what a range lacks: of every chunk in it in which something is missing, all.
static int bring_all(struct fetcher *own, const struct read *read, void *room) {
  struct parts *parts = read->parts;
  uint64_t end = read->from + read->length;
  int error = 0;
  for (uint64_t at = read->from; error == 0 && at < end;) {
    uint64_t chunk = at / parts->chunk;
    uint64_t until = (chunk + 1) * parts->chunk < end ? (chunk + 1) * parts->chunk : end;
    error = parts_here(parts, at, (size_t)(until - at)) ? 0 : bring(own, parts, chunk, room);
    at = until;
  }
  return error;
}

/// Holds the lock. The oldest read that nobody works on.
static struct read *waiting(void) {
  struct read *read = reads;
  while (read != NULL && read->taken) {
    read = read->next;
  }
  return read;
}

/// Holds the lock.
static void take_out(struct read *gone) {
  struct read **at = &reads;
  while (*at != gone) {
    at = &(*at)->next;
  }
  *at = gone->next;
  if (last == &gone->next) {
    last = at;
  }
}

static void finish(struct read *read, int error) {
  pthread_mutex_lock(&lock);
  bool answered = read->answered;
  int64_t now = clock_ms();
  if (error != 0 && now + LATE_MS >= read->deadline_ms) {
    read->parts->late_until_ms = now + LATE_MS;
  }
  take_out(read);
  pthread_mutex_unlock(&lock);
  if (!answered && error == 0) {
    deliver(read->parts, read->unique, read->from, read->length);
  } else if (!answered) {
    answer(read->unique, EIO, NULL, 0);
  }
  demand_release(read->parts);
  free(read);
}

static void *fetch(void *which) {
  struct fetcher *own = which;
  char *room = malloc(PARTS_CHUNK_MOST);
  for (;;) {
    pthread_mutex_lock(&lock);
    struct read *read;
    while ((read = waiting()) == NULL) {
      pthread_cond_wait(&queued, &lock);
    }
    read->taken = true;
    bool late = read->answered;
    pthread_mutex_unlock(&lock);
    finish(read, late ? ETIMEDOUT : room == NULL ? ENOMEM : bring_all(own, read, room));
  }
  return NULL;
}

/// Answers for whoever hangs.
static void *watch(void *unused) {
  for (;;) {
    struct timespec pause = {.tv_nsec = TICK_MS * 1000000L};
    nanosleep(&pause, NULL);
    pthread_mutex_lock(&lock);
    while (reads == NULL) {
      pthread_cond_wait(&queued, &lock);
    }
    int64_t now = clock_ms();
    for (struct read *read = reads; read != NULL; read = read->next) {
      if (!read->answered && now >= read->deadline_ms) {
        read->answered = true;
        read->parts->late_until_ms = now + LATE_MS;
        __atomic_fetch_add(&read->parts->header->counters.failures, 1, __ATOMIC_RELAXED);
        answer(read->unique, EIO, NULL, 0);
      }
    }
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

void demand_read(struct parts *parts, uint64_t unique, uint64_t from, size_t length) {
  if (parts_here(parts, from, length)) {
    deliver(parts, unique, from, length);
    return;
  }
  struct read *read = calloc(1, sizeof *read);
  if (read == NULL) {
    answer(unique, ENOMEM, NULL, 0);
    return;
  }
  *read = (struct read){.parts = parts, .unique = unique, .from = from, .length = length};
  int64_t now = clock_ms();
  read->deadline_ms = now + parts->timeout_ms;
  pthread_mutex_lock(&lock);
  if (now < parts->late_until_ms) {
    pthread_mutex_unlock(&lock);
    answer(unique, EIO, NULL, 0);
    free(read);
    return;
  }
  parts->references++;
  *last = read;
  last = &read->next;
  pthread_cond_broadcast(&queued);
  pthread_mutex_unlock(&lock);
}

int demand_start(demand_answer *to) {
  pthread_attr_t small;
  pthread_t thread;
  answer = to;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, FETCH_STACK);
  int error = pthread_create(&thread, &small, watch, NULL);
  for (size_t i = 0; error == 0 && i < FETCHERS; i++) {
    error = pthread_create(&thread, &small, fetch, &fetchers[i]);
  }
  pthread_attr_destroy(&small);
  errno = error;
  return error == 0 ? 0 : -1;
}
