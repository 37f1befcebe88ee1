// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The step of a request that failed; the numbers are part of the protocol.
enum step {
  STEP_REQUEST = 1,
  STEP_SOCKET = 2,
  STEP_CGROUP = 3,
  STEP_CLONE = 4,
  STEP_MAPS = 5,
  STEP_IDENTITY = 6,
  STEP_MOUNTS = 7,
  STEP_MASKS = 8,
  STEP_PIVOT = 9,
  STEP_NETWORK = 10,
  STEP_DESCRIPTORS = 11,
  STEP_PRIVILEGES = 12,
  STEP_SECCOMP = 13,
  STEP_EXEC = 14,
  STEP_LAYER = 15,
  STEP_UPPER = 16,
  STEP_OVERLAY = 17,
  STEP_ENTER = 18,
  STEP_VERIFY = 19,
  STEP_SWITCH = 20,
  STEP_KILL = 21,
  STEP_REMOVE = 22,
  STEP_START = 23,
  STEP_TREE = 24,
};

/// Why a request failed: the step, the errno and a sentence that names the thing.
struct fault {
  int step;
  int error;
  char text[240];
};

/// Records a failure with the current errno; always returns -1, so that callers can return it.
int fail(struct fault *fault, enum step step, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// The same with an errno of its own.
int fail_with(struct fault *fault, enum step step, int error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
