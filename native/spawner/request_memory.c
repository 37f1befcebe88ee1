// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "handlers.h"
#include "kernel.h"

enum { RECLAIM_MS = 60000 };

enum outcome reclaim(struct host *host, struct reader *fields, struct work *work, struct writer *answer,
                     struct fault *fault) {
  (void)answer;
  struct reclaim *reclaim = &work->reclaim;
  bool named = read_id(fields, reclaim->id);
  enum outcome judged = judge(fields, named, fault);
  if (judged != DONE) {
    return judged;
  }
  work->kind = RECLAIMING;
  work->deadline_ms = now_ms() + RECLAIM_MS;
  return begun(task_begin(host, &reclaim->task, reclaim_work, reclaim, fault), work);
}
