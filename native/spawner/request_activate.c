// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "activate.h"
#include "handlers.h"
#include "kernel.h"
#include "layers.h"

#include <errno.h>
#include <stdio.h>

// The request that gives a blank its root: what came later in the protocol's life may be left out at its end.

enum { ACTIVATE_MS = 10000 };

static bool read_layers(struct reader *fields, struct activation *activation) {
  activation->layer_count = read_u16(fields);
  if (activation->layer_count == 0 || activation->layer_count > LAYERS_MOST) {
    return false;
  }
  for (size_t i = 0; i < activation->layer_count; i++) {
    read_str(fields, activation->layers[i], LAYER_PATH_ROOM);
  }
  return true;
}

static bool has_more(const struct reader *fields) {
  return !fields->broken && fields->at != fields->end;
}

static void read_optional(struct reader *fields, char *to, size_t room) {
  to[0] = 0;
  if (has_more(fields)) {
    read_str(fields, to, room);
  }
}

static void read_rest(struct reader *fields, struct activation *activation) {
  read_optional(fields, activation->host_name, sizeof activation->host_name);
  read_optional(fields, activation->template, sizeof activation->template);
  activation->reserved = has_more(fields) && read_u8(fields) != 0;
  read_optional(fields, activation->owner, sizeof activation->owner);
  activation->limited = has_more(fields) && read_u8(fields) != 0;
  if (activation->limited) {
    read_limits(fields, &activation->limits);
  }
}

static bool nothing_or_id(const char *text) {
  return text[0] == 0 || id_valid(text);
}

enum outcome activate_blank(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                            struct fault *fault) {
  (void)answer;
  struct activation *activation = &work->activating.activation;
  bool named = read_id(fields, activation->id);
  activation->pid = (pid_t)read_u32(fields);
  read_str(fields, activation->upper, sizeof activation->upper);
  activation->disk_bytes = read_u64(fields);
  bool layered = read_layers(fields, activation);
  if (!layered && !fields->broken) {
    fail_with(fault, STEP_REQUEST, EINVAL, "a root has 1 to %d layers", LAYERS_MOST);
    return FAILED;
  }
  read_rest(fields, activation);
  named = named && nothing_or_id(activation->template) && nothing_or_id(activation->owner);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  if (activation->template[0] == 0) {
    return outcome_of(activate(host, activation, fault));
  }
  work->kind = ACTIVATING;
  work->deadline_ms = now_ms() + ACTIVATE_MS;
  return begun(activating_begin(host, &work->activating, fault), work);
}
