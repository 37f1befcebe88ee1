// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "masks.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

const char *const masked_files[] = {
    "proc/interrupts",  "proc/kcore",      "proc/keys",        "proc/kmsg",
    "proc/kpagecgroup", "proc/kpagecount", "proc/kpageflags",  "proc/latency_stats",
    "proc/sched_debug", "proc/timer_list", "proc/timer_stats", NULL,
};

const char *const masked_directories[] = {
    "proc/acpi", "proc/asound", "proc/scsi", "sys/firmware", "sys/devices/virtual/powercap", NULL,
};

const char *const read_only_paths[] = {
    "proc/bus", "proc/fs", "proc/irq", "proc/sys", "proc/sysrq-trigger", NULL,
};

static int cover(const char *with, const char *path, struct fault *fault) {
  if (mount(with, path, NULL, MS_BIND, NULL) != 0 && errno != ENOENT) {
    return fail(fault, STEP_MASKS, "hide %s", path);
  }
  return 0;
}

static int cover_throttle_counters(const char *sys, const char *with, struct fault *fault) {
  char pattern[128];
  snprintf(pattern, sizeof pattern, "%s/devices/system/cpu/cpu*/thermal_throttle", sys);
  glob_t found;
  int result = glob(pattern, GLOB_NOSORT, NULL, &found);
  if (result == GLOB_NOMATCH) {
    return 0;
  }
  if (result != 0) {
    return fail_with(fault, STEP_MASKS, EIO, "list %s", pattern);
  }
  for (size_t i = 0; i < found.gl_pathc && result == 0; i++) {
    result = cover(with, found.gl_pathv[i], fault);
  }
  globfree(&found);
  return result;
}

int masks_on_sys(const char *sys, const char *mask, struct fault *fault) {
  char with[64];
  snprintf(with, sizeof with, "%s/directory", mask);
  for (const char *const *path = masked_directories; *path != NULL; path++) {
    if (strncmp(*path, "sys/", 4) == 0 && cover(with, *path, fault) != 0) {
      return -1;
    }
  }
  return cover_throttle_counters(sys, with, fault);
}

/// Binds from a read-only bind of the whole proc: a bind takes over the flags of its source.
static int protect(struct fault *fault) {
  char from[64];
  if (mount("proc", "aside", NULL, MS_BIND, NULL) != 0 ||
      mount_attributes(AT_FDCWD, "aside", MOUNT_READ_ONLY, -1) != 0) {
    return fail(fault, STEP_MASKS, "make a read-only proc");
  }
  for (const char *const *path = read_only_paths; *path != NULL; path++) {
    snprintf(from, sizeof from, "aside%s", *path + strlen("proc"));
    if (cover(from, *path, fault) != 0) {
      return -1;
    }
  }
  return umount2("aside", MNT_DETACH) == 0 ? 0 : fail(fault, STEP_MASKS, "drop the read-only proc");
}

int masks_on_proc(struct fault *fault) {
  for (const char *const *path = masked_files; *path != NULL; path++) {
    if (cover("/mask/file", *path, fault) != 0) {
      return -1;
    }
  }
  for (const char *const *path = masked_directories; *path != NULL; path++) {
    if (strncmp(*path, "proc/", 5) == 0 && cover("/mask/directory", *path, fault) != 0) {
      return -1;
    }
  }
  return protect(fault);
}
