// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Opening paths in the sandbox.
#pragma once

#include <sys/types.h>

// As open(2) with O_CLOEXEC, but through no magic link of /proc (a descriptor, a root or a cwd of a process). Gives the
// descriptor or a negative errno, ELOOP for a magic link; errno itself is left alone.
int path_open(const char *path, int flags, mode_t mode);
