// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Opening paths in the sandbox.
#pragma once

#include <sys/types.h>

// As open(2) with O_CLOEXEC, through no magic link of /proc (a descriptor, a root or a cwd of a process): ELOOP.
int path_open(const char *path, int flags, mode_t mode);
