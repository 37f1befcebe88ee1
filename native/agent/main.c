// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// The guest agent: PID 1 of a sandbox (descriptor 3 listens, 4 is the sandbox's cgroup), or, for tests, a plain process:
// agent --socket PATH [--cgroup DIRECTORY].
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "exec.h"
#include "exec_table.h"
#include "host.h"
#include "loop.h"
#include "outbox.h"
#include "raw.h"
#include "sandbox.h"
#include "worker.h"

enum { LISTENER = 3, CGROUP = 4, TURNS = 64, IDLE_MS = 1000 };

static struct watch signals = {.fd = -1};
static bool stopping;

static void reap(void) {
  int status;
  struct rusage usage;
  siginfo_t ended = {0};
  while (!waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid) {
    pid_t pid = ended.si_pid;
    // Once it is reaped nothing says where it was.
    uint32_t number = exec_by_pid(pid) ? 0 : cgroup_of(pid);
    if (wait4(pid, &status, WNOHANG, &usage) != pid) return;
    if (!exec_reaped(pid, status, &usage) && !worker_reaped(pid) && number) exec_orphan_reaped(number, &usage);
    ended.si_pid = 0;
  }
}

static void signals_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct signalfd_siginfo info;
  while (read(watch->fd, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) stopping = true;
  }
  reap();
}

static bool take_signals(bool stoppable) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  if (stoppable) {
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
  }
  struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); uint64_t mask; } standard = {SIG_DFL, 0, NULL, 0};
  // Not by sigaction(3), which keeps two numbers for the library and would leave them ignored for every command.
  for (int number = 1; number < NSIG; number++) RAW(SYS_rt_sigaction, number, &standard, NULL, sizeof standard.mask, 0);
  signal(SIGPIPE, SIG_IGN);
  if (sigprocmask(SIG_BLOCK, &set, NULL)) return false;
  int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  return fd >= 0 && loop_watch(&signals, fd, EPOLLIN, signals_ready);
}

static int sooner(int one, int other) { return one < 0 || (other >= 0 && other < one) ? other : one; }

static void serve(void) {
  while (!stopping) {
    exec_expire();
    bool busy = host_receive();
    busy |= loop_run(TURNS, outbox_takes_data) && outbox_takes_data();
    bool sent = host_flush();
    busy |= sent && loop_run(0, outbox_takes_data);
    int timeout = busy ? 0 : exec_timeout_ms();
    bool came = loop_wait(host_is_large() ? sooner(timeout, IDLE_MS) : timeout);
    if (!came && !busy) host_trim();
  }
  exec_kill_all();
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  unlink(path);
  return bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 16) ? -1 : fd;
}

static int start_plain(int count, char **arguments) {
  if (count < 3 || strcmp(arguments[1], "--socket")) return -1;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || dup2(null, 0) < 0) return -1;
  if (count == 5 && !strcmp(arguments[3], "--cgroup")) {
    int fd = open(arguments[4], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || !cgroup_open(fd)) return -1;
  } else if (count != 3) {
    return -1;
  }
  return listen_at(arguments[2]);
}

static int start_first(void) {
  cgroup_open(CGROUP);
  return fcntl(LISTENER, F_SETFD, FD_CLOEXEC) ? -1 : LISTENER;
}

int main(int count, char **arguments) {
  bool plain = count > 1;
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  loop_open();
  int listener = plain ? start_plain(count, arguments) : start_first();
  if (listener < 0 || !take_signals(plain)) {
    if (plain) fprintf(stderr, "usage: agent --socket PATH [--cgroup DIRECTORY] (%s)\n", strerror(errno));
    return 1;
  }
  sandbox_open(!plain);
  host_open(listener);
  serve();
  return 0;
}
