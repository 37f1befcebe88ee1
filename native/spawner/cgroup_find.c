// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

// Finds where each controller is mounted. A v2-only host has all of them under one mount; a hybrid host has some bound
// to v1 hierarchies and the v2 core in a mount of its own. Nothing is assumed about paths: mounts come from
// /proc/self/mountinfo and our own place in each hierarchy from /proc/self/cgroup.

const char *const controller_names[CONTROLLERS] = {"cpu", "memory", "pids"};
const char *const class_names[CLASSES] = {"ls", "be"};

/// One cgroup mount: where it is and which part of the hierarchy it shows.
struct cgroup_mount {
  char point[CGROUP_PATH_ROOM];
  char root[CGROUP_PATH_ROOM];
};

static bool has_word(const char *list, const char *word, const char *separators) {
  size_t length = strlen(word);
  while (*list != 0) {
    size_t part = strcspn(list, separators);
    if (part == length && memcmp(list, word, length) == 0) {
      return true;
    }
    list += part;
    list += strspn(list, separators);
  }
  return false;
}

/// Parses one line of mountinfo; true when it is the wanted hierarchy (controller NULL: v2).
static bool matches(char *line, const char *controller, struct cgroup_mount *mount) {
  char type[32];
  char options[512];
  char *tail = strstr(line, " - ");
  if (tail == NULL || sscanf(line, "%*s %*s %*s %511s %511s", mount->root, mount->point) != 2) {
    return false;
  }
  if (sscanf(tail, " - %31s %*s %511s", type, options) != 2) {
    return false;
  }
  if (controller == NULL) {
    return strcmp(type, "cgroup2") == 0;
  }
  return strcmp(type, "cgroup") == 0 && has_word(options, controller, ",\n");
}

static bool find_mount(const char *controller, struct cgroup_mount *mount) {
  FILE *file = fopen("/proc/self/mountinfo", "re");
  if (file == NULL) {
    return false;
  }
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  while (!found && getline(&line, &room, file) >= 0) {
    found = matches(line, controller, mount);
  }
  free(line);
  fclose(file);
  return found;
}

/// Our own path in a hierarchy (controller NULL: v2), from a line `number:controllers:path`.
static bool find_own_path(const char *controller, char *path) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (file == NULL) {
    return false;
  }
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  while (!found && getline(&line, &room, file) >= 0) {
    char *controllers = strchr(line, ':');
    char *own = controllers == NULL ? NULL : strchr(++controllers, ':');
    if (own == NULL) {
      continue;
    }
    *own++ = 0;
    own[strcspn(own, "\n")] = 0;
    found = controller == NULL ? *controllers == 0 : has_word(controllers, controller, ",");
    found = found && snprintf(path, CGROUP_PATH_ROOM, "%s", own) < CGROUP_PATH_ROOM;
  }
  free(line);
  fclose(file);
  return found;
}

/// The host directory of our own cgroup: the mount point plus our path without what the mount hides.
static int own_directory(const struct cgroup_mount *mount, const char *own, char *to) {
  size_t hidden = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
  const char *rest = strncmp(own, mount->root, hidden) == 0 ? own + hidden : own;
  rest = strcmp(rest, "/") == 0 ? "" : rest;
  int length = snprintf(to, CGROUP_PATH_ROOM, "%s%s", mount->point, rest);
  return length < CGROUP_PATH_ROOM ? 0 : -1;
}

/// systemd marks a cgroup that it handed over with this attribute.
static bool is_delegated(const char *directory) {
  char value[2] = {0};
  bool by_root = getxattr(directory, "trusted.delegate", value, 1) == 1 && value[0] == '1';
  return by_root || (getxattr(directory, "user.delegate", value, 1) == 1 && value[0] == '1');
}

/// The v2 directory below which ours is made: our own when it was delegated to us, else the top of the mount.
static int find_v2_base(struct cgroups *cgroups, struct fault *fault) {
  struct cgroup_mount mount;
  char own[CGROUP_PATH_ROOM];
  char directory[CGROUP_PATH_ROOM];
  if (!find_mount(NULL, &mount) || !find_own_path(NULL, own) || own_directory(&mount, own, directory) != 0) {
    return fail_with(fault, STEP_CGROUP, ENOENT, "no cgroup2 file system is mounted");
  }
  snprintf(cgroups->v2_path, CGROUP_PATH_ROOM, "%s", is_delegated(directory) ? directory : mount.point);
  return 0;
}

static int find_controller(struct cgroups *cgroups, enum controller controller, const char *in_v2) {
  struct cgroup_mount mount;
  char own[CGROUP_PATH_ROOM];
  const char *name = controller_names[controller];
  cgroups->place[controller] = has_word(in_v2, name, " \n") ? IN_V2 : ABSENT;
  if (cgroups->place[controller] == IN_V2 || !find_mount(name, &mount) || !find_own_path(name, own)) {
    return 0;
  }
  cgroups->place[controller] = IN_V1;
  return own_directory(&mount, own, cgroups->v1_path[controller]);
}

int cgroups_discover(struct cgroups *cgroups, struct fault *fault) {
  char in_v2[512] = "";
  if (find_v2_base(cgroups, fault) != 0) {
    return -1;
  }
  int base = open(cgroups->v2_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (base < 0 || read_file(base, "cgroup.controllers", in_v2, sizeof in_v2) < 0) {
    fail(fault, STEP_CGROUP, "read the controllers of %s", cgroups->v2_path);
    if (base >= 0) {
      close(base);
    }
    return -1;
  }
  close(base);
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (find_controller(cgroups, i, in_v2) != 0) {
      return fail_with(fault, STEP_CGROUP, ENAMETOOLONG, "the %s cgroup's path is too long", controller_names[i]);
    }
  }
  return 0;
}
