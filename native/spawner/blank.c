// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "blank.h"
#include "cores.h"
#include "destroy.h"
#include "devices.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 16, OOM_SCORE = 500 };

bool id_valid(const char *id) {
  size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-");
  return length > 0 && length < ID_ROOM && id[length] == 0;
}

int socket_listen(const struct host *host, const char *id, struct fault *fault) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char name[ID_ROOM + 8];
  snprintf(name, sizeof name, "%s.sock", id);
  if (unlinkat(host->sockets, name, 0) != 0 && errno != ENOENT) {
    return fail(fault, STEP_SOCKET, "replace the socket %s", name);
  }
  // By descriptor: the path of <run> may be longer than a socket address.
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", host->sockets, name);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool listening = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, BACKLOG) == 0;
  if (!listening || fchmodat(host->sockets, name, 0600, 0) != 0) {
    fail(fault, STEP_SOCKET, "listen on %s", name);
    if (fd >= 0) {
      close(fd);
    }
    return -1;
  }
  return fd;
}

/// It stays an O_PATH descriptor: closing it would dissolve the mount, which waits for every CPU.
int cgroup_mount(const char *world, enum class class, const char *id, struct fault *fault) {
  char path[ID_ROOM + 40];
  snprintf(path, sizeof path, "%s/cgroup-v2/%s/%s", world, class_names[class], id);
  int tree = tree_clone(AT_FDCWD, path, 0);
  return tree >= 0 ? tree : fail(fault, STEP_CGROUP, "open the cgroup %s", path);
}

static void become(const struct host *host, const struct blank *blank, int channel) {
  struct fault fault = {0};
  blank_become(host, blank, &channel, &fault);
  (void)!write(channel, &fault, sizeof fault);
  _exit(1);
}

/// The kernel counts what a user namespace takes of inotify, pending signals and the like for its owner too, who is the
/// user that makes it. With one owner for all, one sandbox could take what all may have, so each has an owner of its own:
/// a user that nobody is.
static uid_t owner_of(const struct host *host, const char *id) {
  uint32_t hash = 2166136261u;
  for (; *id != 0; id++) {
    hash = (hash ^ (uint8_t)*id) * 16777619u;
  }
  return host->settings.uid_base + ID_COUNT + hash % OWNER_COUNT;
}

/// By system call: only this one thread is meant. The capabilities stay (see settle_process).
static long clone_owned(uid_t owner, struct clone_args *arguments) {
  uid_t same = (uid_t)-1;
  if (syscall(SYS_setresuid, same, owner, same) != 0) {
    return -1;
  }
  long pid = syscall(SYS_clone3, arguments, sizeof *arguments);
  int error = errno;
  if (pid != 0 && syscall(SYS_setresuid, same, 0, same) != 0) {
    abort();
  }
  errno = error;
  return pid;
}

static int clone_child(struct host *host, struct blank *blank, struct fault *fault) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail(fault, STEP_CLONE, "make the child's channel");
  }
  struct clone_args arguments = {
      .flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
               CLONE_INTO_CGROUP | CLONE_PIDFD,
      .pidfd = (uint64_t)(uintptr_t)&blank->process,
      .exit_signal = SIGCHLD,
      .cgroup = (uint64_t)blank->cgroup,
  };
  blank->pid = (pid_t)clone_owned(owner_of(host, blank->id), &arguments);
  if (blank->pid == 0) {
    become(host, blank, ends[1]);
  }
  close(ends[1]);
  blank->channel = ends[0];
  return blank->pid > 0 ? 0 : fail(fault, STEP_CLONE, "make the namespaces of %s", blank->id);
}

static int write_process_file(const struct blank *blank, const char *file, const char *text, struct fault *fault) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/%s", blank->pid, file);
  return write_file(AT_FDCWD, path, text) == 0 ? 0 : fail(fault, STEP_MAPS, "write %s to %s", text, path);
}

/// Maps the ids, makes the sandbox die before the platform when memory is short, ranks it, and releases the child.
static int prepare_child(struct host *host, struct blank *blank, struct fault *fault) {
  char map[48];
  char score[16];
  snprintf(map, sizeof map, "0 %u %d", host->settings.uid_base, ID_COUNT);
  snprintf(score, sizeof score, "%d", OOM_SCORE);
  if (write_process_file(blank, "uid_map", map, fault) != 0 || write_process_file(blank, "gid_map", map, fault) != 0 ||
      write_process_file(blank, "oom_score_adj", score, fault) != 0) {
    return -1;
  }
  if (cgroup_attach_v1(&host->cgroups, blank->class, blank->id, blank->pid, fault) != 0 ||
      cores_give(host, blank->class, blank->pid, fault) != 0) {
    return -1;
  }
  return write(blank->channel, "", 1) == 1 ? 0 : fail(fault, STEP_MAPS, "release the child");
}

static void close_all(struct blank *blank) {
  int *descriptors[] = {&blank->listener, &blank->cgroup, &blank->devices, &blank->channel, &blank->process};
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
    if (*descriptors[i] >= 0) {
      close(*descriptors[i]);
    }
    *descriptors[i] = -1;
  }
}

void blank_abandon(struct host *host, struct blank *blank) {
  if (blank->process >= 0) {
    process_signal(blank->process, SIGKILL);
  }
  close_all(blank);
  destroy_now(host, blank->id, "");
}

int blank_begin(struct host *host, struct blank *blank, struct fault *fault) {
  blank->listener = blank->cgroup = blank->devices = blank->channel = blank->process = -1;
  if (cgroup_create(&host->cgroups, blank->class, blank->id, &blank->limits, host->settings.uid_base, fault) != 0) {
    return -1;
  }
  blank->listener = socket_listen(host, blank->id, fault);
  blank->cgroup = blank->listener < 0 ? -1 : cgroup_mount("", blank->class, blank->id, fault);
  blank->devices = blank->cgroup < 0 ? -1 : devices_mount(fault);
  if (blank->devices >= 0 && clone_child(host, blank, fault) == 0 && prepare_child(host, blank, fault) == 0) {
    return 0;
  }
  blank_abandon(host, blank);
  return -1;
}

int blank_finish(struct host *host, struct blank *blank, struct fault *fault) {
  struct fault told;
  char ready = 0;
  ssize_t count = recv(blank->channel, &told, sizeof told, MSG_DONTWAIT);
  if (count == 1) {
    ready = 1;
    count = recv(blank->channel, &told, sizeof told, MSG_DONTWAIT);
  }
  if (count == 0 && ready) {
    close_all(blank);
    return 0;
  }
  if (count == sizeof told) {
    told.text[sizeof told.text - 1] = 0;
    *fault = told;
  } else {
    fail_with(fault, STEP_CLONE, ECHILD, "the child of %s died on its way", blank->id);
  }
  blank_abandon(host, blank);
  return -1;
}
