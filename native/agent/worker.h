// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A file operation, done by a child with the user's ids and relayed here.
#pragma once

#include <sys/types.h>

#include "channel.h"
#include "loop.h"
#include "message.h"
#include "sink.h"
#include "source.h"

enum report_phase { REPORT_STARTED = 1, REPORT_FINISHED };

// What the child says about itself; kind 0 is success.
struct worker_report {
  uint8_t phase;
  uint16_t kind;
  int32_t error;
  uint64_t bytes, entries;
  char text[400];
};

struct worker {
  struct channel channel;
  struct runner runner;
  uint8_t type;
  pid_t pid;                      // 0 once it was reaped
  bool started, told_started, finished;
  struct watch report, output, input;
  struct source source;
  struct sink sink;
  uint64_t entry_bytes;           // of ENTRY payloads sent
  struct worker_report result;
  struct worker *next;
};

void worker_start(const struct message *message);

// A frame for a running operation; false when its kind does not know it.
bool worker_take(struct worker *worker, const struct message *message);

// Stops it; nothing more is sent.
void worker_cancel(struct worker *worker);

// A child was reaped; whether it was a worker's.
bool worker_reaped(pid_t pid);
