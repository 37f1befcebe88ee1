// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "handlers.h"
#include "kernel.h"
#include "request.h"
#include "trash.h"
#include "upper.h"

#include <errno.h>
#include <unistd.h>

// The requests that wait: for a child on its way to the agent, processes that die, tasks that freeze, work on trees.

struct pollfd work_watch(const struct work *work) {
  switch (work->kind) {
  case CREATING: return (struct pollfd){.fd = work->blank.channel, .events = 0};
  case DESTROYING: return destroy_watch(&work->destruction);
  case FREEZING: return (struct pollfd){.fd = work->freeze.events, .events = POLLPRI};
  case STAGING: return stage_watch(&work->staging);
  case LISTING: return (struct pollfd){.fd = work->listing.task.report, .events = POLLIN};
  case ACTIVATING: return (struct pollfd){.fd = work->activating.task.report, .events = POLLIN};
  case TRYING: return (struct pollfd){.fd = work->trial.task.report, .events = POLLIN};
  case RECLAIMING: return (struct pollfd){.fd = work->reclaim.task.report, .events = POLLIN};
  case NO_WORK: break;
  }
  return (struct pollfd){.fd = -1};
}

static enum outcome continue_create(struct host *host, struct work *work, struct writer *answer, struct fault *fault) {
  struct pollfd watch = work_watch(work);
  if (poll(&watch, 1, 0) == 0) {
    if (now_ms() < work->deadline_ms) {
      return WAITING;
    }
    blank_abandon(host, &work->blank);
    fail_with(fault, STEP_CLONE, ETIMEDOUT, "the blank %s was not ready in time", work->blank.id);
    return FAILED;
  }
  pid_t pid = work->blank.pid;
  if (blank_finish(host, &work->blank, fault) != 0) {
    return FAILED;
  }
  write_u32(answer, (uint32_t)pid);
  return DONE;
}

static enum outcome continue_destroy(struct host *host, struct work *work, struct writer *answer,
                                     struct fault *fault) {
  int result = destroy_step(host, &work->destruction, fault);
  if (result == 1 && now_ms() < work->deadline_ms) {
    return WAITING;
  }
  if (result == 1) {
    fail_with(fault, STEP_KILL, EBUSY, "%s is still dying", work->destruction.id);
  } else if (result == 0 && work->destruction.used) {
    write_usage(answer, &work->destruction.usage);
  }
  destroy_end(&work->destruction);
  return result == 0 ? DONE : FAILED;
}

static enum outcome continue_freeze(struct work *work, struct fault *fault) {
  // Through the open file: the sandbox may be gone meanwhile, and then it reads as nothing.
  bool frozen = cgroup_keyed_in(work->freeze.events, "frozen") == 1;
  if (frozen != work->freeze.on && now_ms() < work->deadline_ms) {
    return WAITING;
  }
  close(work->freeze.events);
  if (frozen != work->freeze.on) {
    fail_with(fault, STEP_CGROUP, ETIMEDOUT, "%s did not %s in time", work->freeze.id,
              work->freeze.on ? "freeze" : "thaw");
    return FAILED;
  }
  return DONE;
}

static enum outcome continue_stage(struct host *host, struct staging *staging, struct writer *answer,
                                   struct fault *fault) {
  static struct report report;
  int result = stage_step(host, staging, &report, fault);
  if (result != 0) {
    return result == 1 ? WAITING : FAILED;
  }
  write_u64(answer, report.entries);
  write_u64(answer, report.bytes);
  write_u64(answer, report.skipped);
  write_u64(answer, (uint64_t)(now_ms() - staging->frozen_at_ms));
  return DONE;
}

static enum outcome continue_listing(struct host *host, struct listing *listing, struct writer *answer,
                                     struct fault *fault) {
  static struct report report;
  int result = listing_step(host, listing, &report, fault);
  if (result != 0) {
    return result == 1 ? WAITING : FAILED;
  }
  write_str(answer, report.digest);
  write_u64(answer, report.entries);
  write_u64(answer, report.bytes);
  return DONE;
}

static enum outcome continue_activate(struct host *host, struct work *work, struct fault *fault) {
  int result = activating_step(host, &work->activating, fault);
  if (result == 1 && now_ms() < work->deadline_ms) {
    return WAITING;
  }
  if (result == 1) {
    activating_abandon(host, &work->activating);
    fail_with(fault, STEP_UPPER, ETIMEDOUT, "the upper of %s was not ready in time", work->activating.activation.id);
  }
  return result == 0 ? DONE : FAILED;
}

static enum outcome continue_trial(struct host *host, struct work *work, struct writer *answer, struct fault *fault) {
  static struct report report;
  struct trial *trial = &work->trial;
  int result = task_poll(&trial->task, &report, fault);
  if (result == 1 && now_ms() < work->deadline_ms) {
    return WAITING;
  }
  if (result == 1) {
    result = fail_with(fault, STEP_UPPER, ETIMEDOUT, "the trial %.100s took too long", trial->bounded.upper);
  } else if (result == 0) {
    write_u64(answer, report.bytes);
    write_u64(answer, report.entries);
    close(report.carried);
  }
  task_end(&trial->task);
  if (result == 0 || fault->error != EEXIST) {
    tree_remove(host->uppers, upper_name(trial->bounded.upper));
  }
  return result == 0 ? DONE : FAILED;
}

static enum outcome continue_reclaim(struct work *work, struct writer *answer, struct fault *fault) {
  static struct report report;
  int result = task_poll(&work->reclaim.task, &report, fault);
  if (result == 1 && now_ms() < work->deadline_ms) {
    return WAITING;
  }
  if (result == 1) {
    result = fail_with(fault, STEP_CGROUP, ETIMEDOUT, "memory of %s was not taken in time", work->reclaim.id);
  } else if (result == 0) {
    write_u64(answer, report.bytes);
    write_u64(answer, report.entries);
  }
  task_end(&work->reclaim.task);
  return result == 0 ? DONE : FAILED;
}

enum outcome work_continue(struct host *host, struct work *work, struct writer *answer, struct fault *fault) {
  enum outcome outcome = DONE;
  switch (work->kind) {
  case CREATING: outcome = continue_create(host, work, answer, fault); break;
  case DESTROYING: outcome = continue_destroy(host, work, answer, fault); break;
  case FREEZING: outcome = continue_freeze(work, fault); break;
  case STAGING: outcome = continue_stage(host, &work->staging, answer, fault); break;
  case LISTING: outcome = continue_listing(host, &work->listing, answer, fault); break;
  case ACTIVATING: outcome = continue_activate(host, work, fault); break;
  case TRYING: outcome = continue_trial(host, work, answer, fault); break;
  case RECLAIMING: outcome = continue_reclaim(work, answer, fault); break;
  case NO_WORK: break;
  }
  if (outcome != WAITING) {
    work->kind = NO_WORK;
  }
  return outcome;
}
