// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "activate.h"
#include "blank.h"
#include "destroy.h"
#include "fault.h"
#include "host.h"
#include "reclaim.h"
#include "stage.h"
#include "wire.h"

#include <poll.h>

enum { PROTOCOL_VERSION = 1, FRAME_HEADER = 5, FRAME_MOST = 65536 };

enum request_type {
  REQUEST_INFO = 0x01,
  REQUEST_CREATE = 0x02,
  REQUEST_ACTIVATE = 0x03,
  REQUEST_DESTROY = 0x04,
  REQUEST_LIST = 0x05,
  REQUEST_LIMITS = 0x06,
  REQUEST_USAGE = 0x07,
  REQUEST_FREEZE = 0x08,
  REQUEST_FORGET_LAYER = 0x09,
  REQUEST_ADOPT_BLANK = 0x0a,
  REQUEST_STOP = 0x0b,
  REQUEST_CHANGES = 0x0c,
  REQUEST_STAGE = 0x0d,
  REQUEST_LIST_LAYER = 0x0e,
  REQUEST_DISCARD = 0x0f,
  REQUEST_DISK = 0x10,
  REQUEST_TRY_DISK = 0x11,
  REQUEST_RECLAIM = 0x12,
  ANSWER_OK = 0x80,
  ANSWER_FAIL = 0x81,
};

/// A bounded upper that is made and removed, to see whether this host can.
struct trial {
  struct bounded bounded;
  struct task task;
};

/// A request that is waiting for the kernel, so that others can be served meanwhile. At most one per connection.
struct work {
  enum { NO_WORK, CREATING, DESTROYING, FREEZING, STAGING, LISTING, ACTIVATING, TRYING, RECLAIMING } kind;
  int64_t deadline_ms;
  struct blank blank;
  struct destruction destruction;
  struct {
    char id[ID_ROOM];
    int events;
    bool on;
  } freeze;
  struct staging staging;
  struct activating activating;
  struct trial trial;
  struct listing listing;
  struct reclaim reclaim;
};

/// How a request went: answered, failed (the fault says why), waiting in `work`, unreadable, or the last one.
enum outcome { DONE, FAILED, WAITING, BROKEN, STOPPING };

/// Handles one frame; the fields of an OK answer are appended to `answer`.
enum outcome request_handle(struct host *host, enum request_type type, struct reader *fields, struct work *work,
                            struct writer *answer, struct fault *fault);

/// What to wait for on behalf of `work`.
struct pollfd work_watch(const struct work *work);

/// Continues after an event or a pause: DONE, FAILED or still WAITING.
enum outcome work_continue(struct host *host, struct work *work, struct writer *answer, struct fault *fault);
