// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "daemon.h"
#include "kernel.h"
#include "rooms.h"
#include "serve.h"
#include "upper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 64, START_MS = 10000, PROTECTED_SCORE = -900 };

/// The path of the spawner's socket by descriptor, which fits whatever the length of <run>.
static struct sockaddr_un address_in(int run) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/spawner.sock", run);
  return address;
}

static bool is_served(int run) {
  struct sockaddr_un address = address_in(run);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool served = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0) {
    close(fd);
  }
  return served;
}

/// Waits for another spawner that holds the lock to listen.
static int await_other(int run, int report) {
  for (int64_t deadline = now_ms() + START_MS; now_ms() < deadline; poll(NULL, 0, 5)) {
    if (is_served(run)) {
      return 0;
    }
  }
  dprintf(report, "spawner: another spawner holds the lock but does not listen\n");
  return 1;
}

/// True when this process now is the only spawner of <run>; the lock goes with the process.
static bool take_lock(int run, bool *failed) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int fd = openat(run, "spawner.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  *failed = fd < 0;
  return fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0;
}

static int listen_for_requests(const struct host *host, struct fault *fault) {
  struct sockaddr_un address = address_in(host->run);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (unlinkat(host->run, "spawner.sock", 0) != 0 && errno != ENOENT) {
    return fail(fault, STEP_START, "replace spawner.sock");
  }
  mode_t mask = umask(0177);
  bool listening = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, BACKLOG) == 0;
  umask(mask);
  return listening ? fd : fail(fault, STEP_START, "listen on spawner.sock");
}

static int quiet(int report) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  bool done = null >= 0 && dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2;
  close(report);
  return done ? 0 : -1;
}

/// Process-wide settings. The score is kept as given where the kernel does not let us lower it.
static int settle_process(struct fault *fault) {
  struct rlimit files;
  char score[16];
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_IGN);
  snprintf(score, sizeof score, "%d", PROTECTED_SCORE);
  if (write_file(AT_FDCWD, "/proc/self/oom_score_adj", score) != 0 && errno != EACCES) {
    return fail(fault, STEP_START, "protect the spawner from the lack of memory");
  }
  if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0) != 0) {
    return fail(fault, STEP_START, "keep the capabilities while sandboxes get their owners");
  }
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
    return fail(fault, STEP_START, "read the limit of open files");
  }
  files.rlim_cur = files.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &files) == 0 ? 0 : fail(fault, STEP_START, "raise the limit of open files");
}

static int complain(int report, const struct fault *fault) {
  dprintf(report, "spawner: %s: %s\n", fault->text, strerror(fault->error));
  return 1;
}

/// The daemon: everything is acquired before `report` is closed without a word, which means ready.
static int run_daemon(const struct settings *settings, int report) {
  static struct host host;
  struct fault fault = {0};
  if (host_open(&host, settings, &fault) != 0) {
    return complain(report, &fault);
  }
  bool failed;
  if (!take_lock(host.run, &failed)) {
    struct fault unopened = {.error = errno, .text = "open spawner.lock"};
    return failed ? complain(report, &unopened) : await_other(host.run, report);
  }
  if (host_isolate(&host, &fault) != 0 || settle_process(&fault) != 0 || upper_start(&host, &fault) != 0) {
    return complain(report, &fault);
  }
  int listener = listen_for_requests(&host, &fault);
  if (listener < 0 || quiet(report) != 0) {
    return complain(report, &fault);
  }
  serve(&host, listener);
  unlinkat(host.run, "spawner.sock", 0);
  cgroups_remove_empty(&host.cgroups);
  return 0;
}

/// Starts the daemon and passes on its complaint, if any.
int daemon_start(const struct settings *settings) {
  int report[2];
  char text[512];
  syscall(SYS_close_range, 3, ~0U, 0);
  rooms_widen();
  if (pipe2(report, O_CLOEXEC) != 0) {
    perror("spawner: pipe");
    return 1;
  }
  pid_t pid = fork();
  if (pid == 0) {
    close(report[0]);
    setsid();
    exit(run_daemon(settings, report[1]));
  }
  close(report[1]);
  ssize_t count = pid < 0 ? -1 : read(report[0], text, sizeof text);
  if (count > 0) {
    (void)!write(STDERR_FILENO, text, (size_t)count);
  }
  return count == 0 ? 0 : 1;
}
