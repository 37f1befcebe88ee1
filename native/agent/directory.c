// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int refill(struct directory *directory) {
  ssize_t got = getdents64(directory->fd, directory->block, sizeof directory->block);
  directory->error = got < 0 ? errno : 0;
  directory->at = 0;
  directory->filled = got > 0 ? (int)got : 0;
  return directory->filled;
}

const char *directory_next(struct directory *directory) {
  while (directory->at < directory->filled || refill(directory)) {
    const struct dirent64 *entry = (const struct dirent64 *)((char *)directory->block + directory->at);
    directory->at += entry->d_reclen;
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) return entry->d_name;
  }
  return NULL;
}
