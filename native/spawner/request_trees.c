// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "handlers.h"
#include "kernel.h"

#include <errno.h>

// The requests about what sandboxes wrote: copies of it, lists, how much it is.

enum { TRIAL_MS = 10000 };

enum outcome stage(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                          struct fault *fault) {
  (void)answer;
  struct staging *staging = &work->staging;
  bool named = read_id(fields, staging->id);
  read_str(fields, staging->upper, sizeof staging->upper);
  named = read_id(fields, staging->name) && named;
  staging->limits.bytes = read_u64(fields);
  staging->limits.entries = read_u64(fields);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE || stage_begin(host, staging, fault) != 0) {
    return judged == DONE ? FAILED : judged;
  }
  work->kind = STAGING;
  return WAITING;
}

enum outcome list_layer(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                               struct fault *fault) {
  (void)answer;
  struct listing *listing = &work->listing;
  read_str(fields, listing->layer, sizeof listing->layer);
  enum outcome judged = judge(fields, read_id(fields, listing->name), fault);
  if (judged != DONE || listing_begin(host, listing, fault) != 0) {
    return judged == DONE ? FAILED : judged;
  }
  work->kind = LISTING;
  return WAITING;
}

enum outcome discard(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                            struct fault *fault) {
  (void)work;
  (void)answer;
  char name[ID_ROOM];
  enum outcome judged = judge(fields, read_id(fields, name), fault);
  return judged == DONE ? outcome_of(stage_discard(host, name, fault)) : judged;
}

enum outcome tell_disk(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                       struct fault *fault) {
  (void)work;
  char upper[LAYER_PATH_ROOM];
  struct room room;
  read_str(fields, upper, sizeof upper);
  enum outcome judged = judge(fields, true, fault);
  if (judged != DONE || bounded_room(host, upper, &room, fault) != 0) {
    return judged == DONE ? FAILED : judged;
  }
  write_u64(answer, room.bytes);
  write_u64(answer, room.bytes_most);
  write_u64(answer, room.inodes);
  write_u64(answer, room.inodes_most);
  return DONE;
}

enum outcome try_disk(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                      struct fault *fault) {
  (void)answer;
  struct trial *trial = &work->trial;
  read_str(fields, trial->bounded.upper, sizeof trial->bounded.upper);
  enum outcome judged = judge(fields, read_id(fields, trial->bounded.template), fault);
  trial->bounded.reserved = false;
  if (judged != DONE) {
    return judged;
  }
  if (upper_name(trial->bounded.upper) == NULL) {
    fail_with(fault, STEP_REQUEST, EINVAL, "the upper is uppers/ and one name, not %.100s", trial->bounded.upper);
    return FAILED;
  }
  work->kind = TRYING;
  work->deadline_ms = now_ms() + TRIAL_MS;
  return begun(task_begin(host, &trial->task, bounded_make, &trial->bounded, fault), work);
}
