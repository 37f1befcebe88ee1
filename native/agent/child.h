// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The child between clone and exec. It must not touch errno nor anything of the guest's that changes.
#pragma once

#include <sys/resource.h>

#include "spawn.h"

struct child {
  struct region *region;
  struct spawn spawn;             // its texts lie in the region
  struct text_list shared_env;
  struct rlimit open_files;
  char user[256];
};

int child_main(void *child);
