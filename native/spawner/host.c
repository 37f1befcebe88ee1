// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "host.h"
#include "fuse.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

static int open_directory(int parent, const char *path, mode_t mode, struct fault *fault) {
  if (mkdirat(parent, path, mode) != 0 && errno != EEXIST) {
    return fail(fault, STEP_START, "make the directory %s", path);
  }
  int fd = openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd >= 0 ? fd : fail(fault, STEP_START, "open the directory %s", path);
}

static int open_state(struct host *host, struct fault *fault) {
  int state = open_directory(AT_FDCWD, host->settings.state, 0700, fault);
  if (state < 0) {
    return -1;
  }
  host->devices = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
  host->layers = open_directory(state, "layers", 0700, fault);
  int uppers = open_directory(state, "uppers", 0700, fault);
  close(state);
  if (host->layers < 0 || uppers < 0) {
    return -1;
  }
  host->uppers = tree_clone(uppers, "", TREE_OF_DESCRIPTOR);
  if (host->uppers < 0) {
    fail(fault, STEP_START, "clone the mount of the uppers");
  }
  close(uppers);
  host->trash = host->uppers < 0 ? -1 : open_directory(host->uppers, ".trash", 0700, fault);
  host->staging = host->trash < 0 ? -1 : open_directory(host->uppers, ".staging", 0700, fault);
  return host->staging < 0 ? -1 : 0;
}

/// Before the host's mounts are out of sight. Without FUSE there are only whole images, and whoever names another is told.
static int start_parts(struct host *host, const struct settings *settings, struct fault *fault) {
  int state = open_directory(AT_FDCWD, settings->state, 0700, fault);
  if (state < 0) {
    return -1;
  }
  close(state);
  host->parts = fuse_start(settings->state, &host->no_parts);
  return 0;
}

static int copy_program(int from, int to) {
  char bytes[65536];
  ssize_t count;
  while ((count = read(from, bytes, sizeof bytes)) > 0) {
    if (write(to, bytes, (size_t)count) != count) {
      return -1;
    }
  }
  return (int)count;
}

/// Kernels before 6.3 do not know the flag that later ones may insist on.
static int executable_memory(void) {
  int fd = memfd_create("agent", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  return fd >= 0 || errno != EINVAL ? fd : memfd_create("agent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/// A copy of the agent that nobody can change. Mode 0111 makes the kernel itself refuse to dump or trace it.
static int seal_agent(struct host *host, struct fault *fault) {
  int from = open(host->settings.agent, O_RDONLY | O_CLOEXEC);
  int memory = from < 0 ? -1 : executable_memory();
  if (memory < 0 || copy_program(from, memory) != 0) {
    return fail(fault, STEP_START, "copy the agent %s", host->settings.agent);
  }
  close(from);
  int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  if (fchmod(memory, 0111) != 0 || fcntl(memory, F_ADD_SEALS, seals) != 0) {
    return fail(fault, STEP_START, "seal the agent");
  }
  host->agent = open(path, O_PATH | O_CLOEXEC);
  close(memory);
  return host->agent >= 0 ? 0 : fail(fault, STEP_START, "reopen the agent");
}

static int write_map(pid_t pid, const char *file, uint32_t base, struct fault *fault) {
  char path[48];
  char text[48];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  snprintf(text, sizeof text, "0 %u %d", base, ID_COUNT);
  return write_file(AT_FDCWD, path, text) == 0 ? 0 : fail(fault, STEP_START, "write %s", path);
}

/// Borrows the user namespace of a short-lived child: a descriptor keeps it alive.
static int make_user_ids(struct host *host, struct fault *fault) {
  pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid < 0) {
    return fail(fault, STEP_START, "make a user namespace");
  }
  if (pid == 0) {
    pause();
    _exit(0);
  }
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  int result = write_map(pid, "uid_map", host->settings.uid_base, fault);
  result = result == 0 ? write_map(pid, "gid_map", host->settings.uid_base, fault) : result;
  host->user_ids = result == 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (result == 0 && host->user_ids < 0) {
    result = fail(fault, STEP_START, "open %s", path);
  }
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  return result;
}

/// FNV-1a over our own program: two spawners with the same number behave the same.
static int hash_program(struct host *host, struct fault *fault) {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail(fault, STEP_START, "open our own program");
  }
  uint8_t bytes[65536];
  ssize_t count;
  host->build = 14695981039346656037u;
  while ((count = read(fd, bytes, sizeof bytes)) > 0) {
    for (ssize_t i = 0; i < count; i++) {
      host->build = (host->build ^ bytes[i]) * 1099511628211u;
    }
  }
  close(fd);
  return count == 0 ? 0 : fail(fault, STEP_START, "read our own program");
}

int host_open_run(struct host *host, const struct settings *settings, struct fault *fault) {
  host->settings = *settings;
  host->keeper = -1;
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
    return fail(fault, STEP_START, "make a private mount namespace");
  }
  host->run = open_directory(AT_FDCWD, settings->run, 0700, fault);
  host->sockets = host->run < 0 ? -1 : open_directory(host->run, "a", 0700, fault);
  return host->sockets < 0 ? -1 : cgroups_open(&host->cgroups, settings->cgroup_name, host->run, fault);
}

int host_open(struct host *host, const struct settings *settings, struct fault *fault) {
  if (start_parts(host, settings, fault) != 0 || host_open_run(host, settings, fault) != 0 ||
      open_state(host, fault) != 0 || seal_agent(host, fault) != 0) {
    return -1;
  }
  return make_user_ids(host, fault) != 0 ? -1 : hash_program(host, fault);
}
