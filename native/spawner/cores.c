// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "cores.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel runs tasks of one cookie only on the threads of a core at a time (core scheduling). A cookie is no name
// but something that living tasks share: a child of the spawner, the keeper, holds that of the class and gives it to
// new sandboxes. The spawner itself has none, or best-effort sandboxes would inherit it. After a restart the new keeper
// takes the cookie from a sandbox that lives.

enum { CORE = 62, CORE_GET = 0, CORE_CREATE = 1, CORE_SHARE_TO = 2, CORE_SHARE_FROM = 3 };
enum { SCOPE_THREAD = 0, SCOPE_GROUP = 1 };

static int core(int operation, pid_t pid, int scope, uint64_t *cookie) {
  return prctl(CORE, operation, pid, scope, cookie);
}

bool cores_exist(void) {
  uint64_t cookie;
  return core(CORE_GET, 0, SCOPE_THREAD, &cookie) == 0;
}

static bool has_cookie(void) {
  uint64_t cookie = 0;
  return core(CORE_GET, 0, SCOPE_THREAD, &cookie) == 0 && cookie != 0;
}

/// Takes the cookie of a sandbox that lives; false when none has one.
static bool take_from_living(const struct cgroups *cgroups) {
  int fd = openat(cgroups->v2, class_names[LATENCY_SENSITIVE], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  bool taken = false;
  for (struct dirent *entry; !taken && stream != NULL && (entry = readdir(stream)) != NULL;) {
    int cgroup = entry->d_type != DT_DIR || entry->d_name[0] == '.'
                     ? -1
                     : openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cgroup >= 0) {
      pid_t agent = cgroup_agent(cgroup);
      taken = agent != 0 && core(CORE_SHARE_FROM, agent, SCOPE_THREAD, NULL) == 0 && has_cookie();
      close(cgroup);
    }
  }
  if (stream != NULL) {
    closedir(stream);
  }
  return taken;
}

/// The class's cookie for the calling process, a new one when nobody has it; 0 or an errno.
static int take(const struct cgroups *cgroups) {
  bool taken = take_from_living(cgroups) || core(CORE_CREATE, 0, SCOPE_GROUP, NULL) == 0;
  return taken ? 0 : errno;
}

/// The keeper's life: a pid in, an errno out, until the spawner is gone.
static void keep(int channel, pid_t spawner) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != spawner || dup2(channel, 0) != 0 || syscall(SYS_close_range, 3, ~0U, 0) != 0) {
    _exit(1);
  }
  for (pid_t pid; recv(0, &pid, sizeof pid, 0) == sizeof pid;) {
    int error = core(CORE_SHARE_TO, pid, SCOPE_GROUP, NULL) == 0 ? 0 : errno;
    if (send(0, &error, sizeof error, MSG_NOSIGNAL) != sizeof error) {
      break;
    }
  }
  _exit(0);
}

static int start_keeper(struct host *host, struct fault *fault) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail(fault, STEP_CGROUP, "make the channel of the cookie's keeper");
  }
  pid_t spawner = getpid();
  pid_t pid = fork();
  if (pid == 0) {
    int error = take(&host->cgroups);
    if (send(ends[1], &error, sizeof error, MSG_NOSIGNAL) == sizeof error && error == 0) {
      keep(ends[1], spawner);
    }
    _exit(1);
  }
  close(ends[1]);
  host->keeper = ends[0];
  return pid > 0 ? 0 : fail(fault, STEP_CGROUP, "make the cookie's keeper");
}

/// What the keeper answers; EPIPE when it is gone.
static int hear(int keeper) {
  int error;
  ssize_t count = recv(keeper, &error, sizeof error, 0);
  return count == sizeof error ? error : EPIPE;
}

static void forget_keeper(struct host *host) {
  if (host->keeper >= 0) {
    close(host->keeper);
  }
  host->keeper = -1;
}

static int require_keeper(struct host *host, struct fault *fault) {
  if (host->keeper >= 0) {
    return 0;
  }
  int result = start_keeper(host, fault);
  int error = result == 0 ? hear(host->keeper) : 0;
  if (result == 0 && error == 0) {
    return 0;
  }
  forget_keeper(host);
  return result != 0 ? result : fail_with(fault, STEP_CGROUP, error, "take the class's core scheduling cookie");
}

static int ask(struct host *host, pid_t pid, struct fault *fault) {
  if (require_keeper(host, fault) != 0) {
    return -1;
  }
  bool sent = send(host->keeper, &pid, sizeof pid, MSG_NOSIGNAL) == sizeof pid;
  int error = sent ? hear(host->keeper) : EPIPE;
  if (error == EPIPE) {
    forget_keeper(host);
  }
  return error == 0 ? 0 : fail_with(fault, STEP_CGROUP, error, "give process %d the class's core scheduling cookie", pid);
}

int cores_give(struct host *host, enum class class, pid_t pid, struct fault *fault) {
  if (class != LATENCY_SENSITIVE || !cores_exist()) {
    return 0;
  }
  // A keeper that somebody killed is found out by asking it.
  return ask(host, pid, fault) == 0 || (host->keeper < 0 && ask(host, pid, fault) == 0) ? 0 : -1;
}

int cores_take(const struct cgroups *cgroups, enum class class, struct fault *fault) {
  int error = class != LATENCY_SENSITIVE || !cores_exist() ? 0 : take(cgroups);
  return error == 0 ? 0 : fail_with(fault, STEP_CGROUP, error, "take the class's core scheduling cookie");
}
