// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "spawn.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "child.h"
#include "sandbox.h"

// Points a text of the frame at where the frame was copied to.
static void move_text(struct text *text, ptrdiff_t by) {
  if (text->length) text->at += by;
}

static bool prepare(const struct message *message, const struct spawn *spawn, struct region *region, struct child *child) {
  const struct exec_request *request = &message->exec;
  // The id is the frame's first text and the environment its last field.
  const char *first = request->id.at;
  size_t length = (size_t)((const char *)request->env.at + request->env.bytes - 2 - first);
  char *copy = region_get(region, length);
  if (!copy) return false;
  memcpy(copy, first, length);
  *child = (struct child){.region = region, .spawn = *spawn, .shared_env = sandbox.env, .open_files = sandbox.open_files};
  strcpy(child->user, sandbox.user);
  struct exec_request *moved = &child->spawn.request;
  *moved = *request;
  ptrdiff_t by = copy - first;
  move_text(&moved->id, by);
  move_text(&moved->cwd, by);
  move_text(&moved->user, by);
  moved->argv.at += by;
  moved->env.at += by;
  return true;
}

pid_t spawn_command(const struct message *message, const struct spawn *spawn, struct region **region) {
  *region = region_take();
  struct child *child = *region ? region_get(*region, sizeof *child) : NULL;
  if (!child || !prepare(message, spawn, *region, child)) {
    errno = ENOMEM;
    return -1;
  }
  return clone(child_main, region_stack(*region), CLONE_VM | SIGCHLD, child);
}
