// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static void record(struct fault *fault, enum step step, int error, const char *format, va_list arguments) {
  fault->step = step;
  fault->error = error;
  vsnprintf(fault->text, sizeof fault->text, format, arguments);
}

int fail(struct fault *fault, enum step step, const char *format, ...) {
  int error = errno;
  va_list arguments;
  va_start(arguments, format);
  record(fault, step, error, format, arguments);
  va_end(arguments);
  return -1;
}

int fail_with(struct fault *fault, enum step step, int error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(fault, step, error, format, arguments);
  va_end(arguments);
  return -1;
}
