// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Who a user name of the sandbox is, by its own /etc/passwd and /etc/group. It reads files of bounded size and never waits. It neither
// allocates nor touches errno.
#pragma once

#include <sys/types.h>

#include "wire.h"

enum { GROUPS_MAX = 256, ACCOUNT_TEXT_MAX = 256 };

struct account {
  uid_t uid;
  gid_t gid;
  gid_t groups[GROUPS_MAX];
  size_t group_count;
  char name[ACCOUNT_TEXT_MAX], home[ACCOUNT_TEXT_MAX * 4], shell[ACCOUNT_TEXT_MAX];
};

// Accepts name, number, name:group, number:group. 0, ENOENT for an unknown user or group, or another errno.
int account_find(struct text user, struct account *account);
