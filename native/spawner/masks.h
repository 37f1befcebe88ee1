// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fault.h"

/// Paths below /proc and /sys that a sandbox must not read; NULL ends each list. They may be absent.
extern const char *const masked_files[];
extern const char *const masked_directories[];

/// Paths below /proc that it may read only.
extern const char *const read_only_paths[];

/// Hides what a sysfs tells about the machine, once, in the tree that every blank binds.
int masks_on_sys(const char *sys, const char *mask, struct fault *fault);

/// Hides and write-protects parts of the fresh `proc` in the current directory; `aside` is an empty directory to use.
int masks_on_proc(struct fault *fault);
