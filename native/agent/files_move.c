// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// MOVE.
#include <errno.h>
#include <stdio.h>

#include "files.h"

uint64_t files_move(const struct file_job *job) {
  if (rename(job->path, job->to)) files_fail(errno, "move %s", job->path);
  return 0;
}
