// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "account.h"
#include "proto.h"
#include "sandbox.h"
#include "worker.h"

static int report_fd;

static void say(const struct worker_report *report) {
  if (write(report_fd, report, sizeof *report) != sizeof *report) _exit(1);
}

void files_started(void) { say(&(struct worker_report){.phase = REPORT_STARTED}); }

void files_fail(int error, const char *format, ...) {
  struct worker_report report = {.phase = REPORT_FINISHED, .kind = FAIL_SYSTEM, .error = error};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report.text, sizeof report.text, format, arguments);
  va_end(arguments);
  say(&report);
  _exit(1);
}

void files_no_user(const char *text) {
  struct worker_report report = {.phase = REPORT_FINISHED, .kind = FAIL_NO_USER};
  snprintf(report.text, sizeof report.text, "%s", text);
  say(&report);
  _exit(1);
}

void files_put(int fd, const void *bytes, size_t length, const char *what) {
  for (const char *at = bytes; length;) {
    ssize_t wrote = write(fd, at, length);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) files_fail(errno, "write %s", what);
    at += wrote;
    length -= (size_t)wrote;
  }
}

static void keep_only(int first, int second, int third) {
  int kept[3] = {first, second, third};
  unsigned from = 3;
  for (int pass = 0; pass < 3; pass++) {
    int lowest = -1;
    for (int i = 0; i < 3; i++) {
      if (kept[i] >= (int)from && (lowest < 0 || kept[i] < lowest)) lowest = kept[i];
    }
    if (lowest < 0) break;
    if ((unsigned)lowest > from) close_range(from, (unsigned)lowest - 1, 0);
    from = (unsigned)lowest + 1;
  }
  close_range(from, ~0u, 0);
}

// Takes the user's ids for every access check. The real ids stay, so that the user's processes cannot signal the worker.
// The kernel says EINVAL of an id that the sandbox's user namespace does not have.
static void become(const struct account *account) {
  bool failed = setgroups(account->group_count, account->groups) || setresgid((gid_t)-1, account->gid, (gid_t)-1)
      || setresuid((uid_t)-1, account->uid, (uid_t)-1);
  if (failed && errno == EINVAL) files_no_user("no such user (out of range)");
  if (failed) files_fail(errno, "user");
}

static void act_for(struct text user) {
  struct account account;
  struct text standard = {sandbox.user, (uint16_t)strlen(sandbox.user)};
  int error = account_find(user.length ? user : standard, &account);
  if (error && error != ENOENT) files_fail(error, "user");
  if (error) files_no_user("no such user");
  become(&account);
}

static char *copied(struct text text) {
  char *copy = malloc((size_t)text.length + 1);
  if (!copy || !text_copy(text, copy, (size_t)text.length + 1)) files_fail(ENOMEM, "memory");
  return copy;
}

static uint64_t perform(const struct file_job *job) {
  switch (job->type) {
    case READ: return files_read(job);
    case WRITE: return files_write(job);
    case STAT: return files_stat(job);
    case LIST: return files_list(job);
    case MKDIR: return files_mkdir(job);
    case MOVE: return files_move(job);
    case SET: return files_set(job);
    case CHECKSUM: return files_checksum(job);
    case ARCHIVE: return files_archive(job);
    case EXTRACT: return files_extract(job);
    case WATCH: return files_watch(job);
    default: return files_remove(job);
  }
}

static void __attribute__((noreturn)) child(const struct message *message, const struct file_pipes *pipes) {
  report_fd = pipes->report;
  keep_only(pipes->report, pipes->output, pipes->input);
  umask(0);
  act_for(message->file.user);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the change of ids, which clears it
  struct file_job job = {message->type, message->flags, &message->file, *pipes, NULL, NULL, NULL};
  job.path = copied(message->file.path);
  job.to = copied(message->file.to);
  job.owner = copied(message->file.owner);
  struct worker_report report = {.phase = REPORT_FINISHED};
  report.bytes = perform(&job);
  report.entries = files_extracted;
  say(&report);
  _exit(0);
}

pid_t files_spawn(const struct message *message, const struct file_pipes *pipes) {
  pid_t pid = fork();
  if (!pid) child(message, pipes);
  return pid;
}
