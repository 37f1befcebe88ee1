// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>

#include "raw.h"

int path_open(const char *path, int flags, mode_t mode) {
  struct open_how how = {
    .flags = (unsigned)(flags | O_CLOEXEC),
    .mode = flags & O_CREAT ? mode : 0,
    .resolve = RESOLVE_NO_MAGICLINKS,
  };
  long fd = RAW(SYS_openat2, AT_FDCWD, path, &how, sizeof how, 0);
  if (fd == -ENOSYS) fd = raw_openat(AT_FDCWD, path, flags | O_CLOEXEC, (int)mode);
  return (int)fd;
}
