// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cgroup.h"
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// One sandbox's directories: made, entered, searched, removed. The v2 directory is delegated: the sandbox's root owns
// it and the three files that move processes, so that the agent can make sub-cgroups. The limits' files stay ours.

enum { RELATIVE_ROOM = ID_ROOM + 40 };

static void relative(char *to, enum class class, const char *id, const char *file) {
  snprintf(to, RELATIVE_ROOM, "%s/%s%s%s", class_names[class], id, *file == 0 ? "" : "/", file);
}

static int delegate(const struct cgroups *cgroups, enum class class, const char *id, uid_t owner, struct fault *fault) {
  static const char *const files[] = {"", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control"};
  char path[RELATIVE_ROOM];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    relative(path, class, id, files[i]);
    if (fchownat(cgroups->v2, path, owner, owner, AT_SYMLINK_NOFOLLOW) != 0) {
      return fail(fault, STEP_CGROUP, "give %s to the sandbox", path);
    }
  }
  return 0;
}

static int make_all(const struct cgroups *cgroups, enum class class, const char *id, struct fault *fault) {
  char path[RELATIVE_ROOM];
  relative(path, class, id, "");
  if (mkdirat(cgroups->v2, path, 0755) != 0) {
    return fail(fault, STEP_CGROUP, "make the cgroup %s", path);
  }
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    bool wanted = cgroups->place[i] == IN_V1;
    if (wanted && mkdirat(cgroups->v1[i], path, 0755) != 0 && errno != EEXIST) {
      return fail(fault, STEP_CGROUP, "make the %s cgroup %s", controller_names[i], path);
    }
  }
  return 0;
}

int cgroup_create(const struct cgroups *cgroups, enum class class, const char *id, const struct limits *limits,
                  uid_t owner, struct fault *fault) {
  struct fault ignored;
  int existing = cgroup_find(cgroups, id, &(enum class){0});
  if (existing >= 0) {
    close(existing);
    return fail_with(fault, STEP_CGROUP, EEXIST, "the sandbox %s exists", id);
  }
  if (make_all(cgroups, class, id, fault) == 0 && delegate(cgroups, class, id, owner, fault) == 0 &&
      cgroup_set_limits(cgroups, class, id, limits, true, fault) == 0) {
    return 0;
  }
  cgroup_remove(cgroups, class, id, &ignored);
  return -1;
}

static int attach(int tree, const char *what, enum class class, const char *id, pid_t pid, struct fault *fault) {
  char path[RELATIVE_ROOM];
  char text[16];
  relative(path, class, id, "cgroup.procs");
  snprintf(text, sizeof text, "%d", pid);
  if (write_file(tree, path, text) != 0) {
    return fail(fault, STEP_CGROUP, "put %d into the %s cgroup %s", pid, what, path);
  }
  return 0;
}

int cgroup_attach_v1(const struct cgroups *cgroups, enum class class, const char *id, pid_t pid, struct fault *fault) {
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (cgroups->place[i] == IN_V1 && attach(cgroups->v1[i], controller_names[i], class, id, pid, fault) != 0) {
      return -1;
    }
  }
  return 0;
}

int cgroup_attach(const struct cgroups *cgroups, enum class class, const char *id, pid_t pid, struct fault *fault) {
  if (attach(cgroups->v2, "v2", class, id, pid, fault) != 0) {
    return -1;
  }
  return cgroup_attach_v1(cgroups, class, id, pid, fault);
}

int cgroup_find(const struct cgroups *cgroups, const char *id, enum class *class) {
  char path[RELATIVE_ROOM];
  for (enum class i = 0; i < CLASSES; i++) {
    relative(path, i, id, "");
    int fd = openat(cgroups->v2, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 || errno != ENOENT) {
      *class = i;
      return fd;
    }
  }
  errno = ENOENT;
  return -1;
}

/// True when the process is PID 1 of a PID namespace of its own.
static bool is_init(pid_t pid) {
  char path[32];
  char status[2048];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (read_file(AT_FDCWD, path, status, sizeof status) <= 0) {
    return false;
  }
  char *line = strstr(status, "\nNSpid:");
  if (line == NULL) {
    return false;
  }
  char *end = strchr(line + 1, '\n');
  return end != NULL && end[-1] == '1' && (end[-2] == '\t' || end[-2] == ' ');
}

/// Calls `accept` for each process of the cgroup itself until it says yes; that process, or 0.
static pid_t search(int directory, bool (*accept)(pid_t, pid_t), pid_t wanted) {
  int fd = openat(directory, "cgroup.procs", O_RDONLY | O_CLOEXEC);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
  if (file == NULL) {
    return 0;
  }
  pid_t found = 0;
  int pid = 0;
  while (found == 0 && fscanf(file, "%d", &pid) == 1) {
    found = accept(pid, wanted) ? pid : 0;
  }
  fclose(file);
  return found;
}

static bool accept_init(pid_t pid, pid_t wanted) {
  return wanted == 0 && is_init(pid);
}

static bool accept_same(pid_t pid, pid_t wanted) {
  return pid == wanted;
}

pid_t cgroup_agent(int directory) {
  return search(directory, accept_init, 0);
}

bool cgroup_holds(int directory, pid_t pid) {
  return search(directory, accept_same, pid) == pid;
}

/// Removes a cgroup without sub-cgroups; one that is gone already is as good, whoever removed it.
static int remove_leaf(int tree, const char *path) {
  int result = unlinkat(tree, path, AT_REMOVEDIR);
  return result != 0 && errno == ENOENT ? 0 : result;
}

/// Removes the sub-cgroups of `directory`, deepest first; cgroup directories hold no other directories.
static int remove_children(int directory) {
  int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  if (stream == NULL) {
    return errno == ENOENT ? 0 : -1;
  }
  int result = 0;
  for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL;) {
    if (entry->d_type != DT_DIR || entry->d_name[0] == '.') {
      continue;
    }
    int child = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (child < 0) {
      result = errno == ENOENT ? 0 : -1;
      continue;
    }
    result = remove_children(child) == 0 ? remove_leaf(fd, entry->d_name) : -1;
    int error = errno;
    close(child);
    errno = error;
  }
  int error = errno;
  closedir(stream);
  errno = error;
  return result;
}

static int remove_one(int tree, const char *path) {
  int fd = openat(tree, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    return errno == ENOENT ? 0 : -1;
  }
  int result = remove_leaf(tree, path);
  if (result != 0 && errno == EBUSY && remove_children(fd) == 0) {
    result = remove_leaf(tree, path);
  }
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

int cgroup_remove(const struct cgroups *cgroups, enum class class, const char *id, struct fault *fault) {
  char path[RELATIVE_ROOM];
  relative(path, class, id, "");
  for (enum controller i = 0; i < CONTROLLERS; i++) {
    if (cgroups->place[i] == IN_V1 && remove_one(cgroups->v1[i], path) != 0) {
      return fail(fault, STEP_REMOVE, "remove the %s cgroup %s", controller_names[i], path);
    }
  }
  if (remove_one(cgroups->v2, path) != 0) {
    return fail(fault, STEP_REMOVE, "remove the cgroup %s", path);
  }
  return 0;
}
