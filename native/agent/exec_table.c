// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "exec_table.h"

#include <string.h>

enum { BUCKETS = 1024 };

static struct exec *by_id[BUCKETS], *by_pid[BUCKETS];
static uint32_t known;

static uint32_t hash(const char *bytes, size_t length) {
  uint32_t value = 2166136261u;
  for (size_t i = 0; i < length; i++) value = (value ^ (uint8_t)bytes[i]) * 16777619u;
  return value % BUCKETS;
}

static struct exec **id_bucket(const struct exec *exec) { return &by_id[hash(exec->id, strlen(exec->id))]; }

void exec_table_add_id(struct exec *exec) {
  struct exec **bucket = id_bucket(exec);
  exec->next_by_id = *bucket;
  *bucket = exec;
  known++;
}

void exec_table_add_pid(struct exec *exec) {
  struct exec **bucket = &by_pid[exec->pid % BUCKETS];
  exec->next_by_pid = *bucket;
  *bucket = exec;
}

void exec_table_remove_id(struct exec *exec) {
  struct exec **link = id_bucket(exec);
  while (*link && *link != exec) link = &(*link)->next_by_id;
  if (!*link) return;
  *link = exec->next_by_id;
  known--;
}

void exec_table_remove_pid(struct exec *exec) {
  struct exec **link = &by_pid[exec->pid % BUCKETS];
  while (*link && *link != exec) link = &(*link)->next_by_pid;
  if (*link) *link = exec->next_by_pid;
}

struct exec *exec_by_id(struct text id) {
  struct exec *exec = by_id[hash(id.at, id.length)];
  while (exec && !text_is(id, exec->id)) exec = exec->next_by_id;
  return exec;
}

struct exec *exec_by_pid(pid_t pid) {
  struct exec *exec = by_pid[pid % BUCKETS];
  while (exec && exec->pid != pid) exec = exec->next_by_pid;
  return exec;
}

struct exec *exec_next(struct exec *exec) {
  if (exec && exec->next_by_id) return exec->next_by_id;
  uint32_t bucket = exec ? hash(exec->id, strlen(exec->id)) + 1 : 0;
  while (bucket < BUCKETS && !by_id[bucket]) bucket++;
  return bucket < BUCKETS ? by_id[bucket] : NULL;
}

uint32_t exec_count(void) { return known; }
