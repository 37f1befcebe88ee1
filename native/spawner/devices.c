// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "devices.h"
#include "kernel.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int make_nodes(int root) {
  static const struct {
    const char *name;
    unsigned major;
    unsigned minor;
  } nodes[] = {{"null", 1, 3}, {"zero", 1, 5}, {"full", 1, 7}, {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0}};
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
    if (mknodat(root, nodes[i].name, S_IFCHR | 0666, makedev(nodes[i].major, nodes[i].minor)) != 0) {
      return -1;
    }
  }
  return 0;
}

static int make_links(int root) {
  static const char *const links[][2] = {{"/proc/self/fd", "fd"},
                                         {"/proc/self/fd/0", "stdin"},
                                         {"/proc/self/fd/1", "stdout"},
                                         {"/proc/self/fd/2", "stderr"},
                                         {"pts/ptmx", "ptmx"}};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    if (symlinkat(links[i][0], root, links[i][1]) != 0) {
      return -1;
    }
  }
  return 0;
}

static int fill(int root) {
  if (make_nodes(root) != 0 || make_links(root) != 0) {
    return -1;
  }
  if (mkdirat(root, "pts", 0755) != 0 || mkdirat(root, "shm", 01777) != 0 || mkdirat(root, "mqueue", 01777) != 0) {
    return -1;
  }
  return mount_attributes(root, "", MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_EXEC, -1);
}

static int mount_empty(void) {
  int context = filesystem_open("tmpfs");
  if (context < 0) {
    return -1;
  }
  bool set = filesystem_string(context, "mode", "0755") == 0 && filesystem_string(context, "size", "64k") == 0;
  int root = set ? filesystem_mount(context, MOUNT_NO_SUID | MOUNT_NO_EXEC) : -1;
  close(context);
  return root;
}

int devices_mount(struct fault *fault) {
  int root = mount_empty();
  mode_t mask = umask(0);
  bool made = root >= 0 && fill(root) == 0;
  int error = errno;
  umask(mask);
  errno = error;
  if (!made) {
    fail(fault, STEP_MOUNTS, "make the devices");
    if (root >= 0) {
      close(root);
    }
    return -1;
  }
  return root;
}
