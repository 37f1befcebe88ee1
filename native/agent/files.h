// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The child of a file operation.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "message.h"

// The child's ends; -1 when there is none.
struct file_pipes {
  int report, output, input;
};

pid_t files_spawn(const struct message *message, const struct file_pipes *pipes);

// The request as the child sees it.
struct file_job {
  uint8_t type, flags;
  const struct file_request *request;
  struct file_pipes pipes;
  char *path, *to, *owner;
};

// Ends the child with a failure of `what`, which names the object, and errno.
void __attribute__((noreturn, format(printf, 2, 3))) files_fail(int error, const char *format, ...);

// Ends the child because a user or group is not known.
void __attribute__((noreturn)) files_no_user(const char *text);

// Tells the guest that the operation is under way.
void files_started(void);

// Writes all of it, or ends the child with a failure of writing `what`.
void files_put(int fd, const void *bytes, size_t length, const char *what);

// Opens a regular file and nothing else, never waiting for it, or ends the child.
int files_open_regular(const struct file_job *job, int flags, struct stat *status);

// Operations; each returns the bytes it wrote (WRITE, EXTRACT) or 0, or ends the child.
uint64_t files_read(const struct file_job *job);
uint64_t files_write(const struct file_job *job);
uint64_t files_stat(const struct file_job *job);
uint64_t files_list(const struct file_job *job);
uint64_t files_mkdir(const struct file_job *job);
uint64_t files_move(const struct file_job *job);
uint64_t files_remove(const struct file_job *job);
uint64_t files_set(const struct file_job *job);
uint64_t files_checksum(const struct file_job *job);
uint64_t files_archive(const struct file_job *job);
uint64_t files_extract(const struct file_job *job);
uint64_t files_watch(const struct file_job *job);

// How many entries EXTRACT put in place so far.
extern uint64_t files_extracted;

// Makes the missing directories above `path`.
void files_make_parents(const char *path);

// Removes an entry and what is in it; its depth below the first is `depth`. One that vanished is removed.
void files_remove_entry(int directory, const char *name, const char *path, int depth);
