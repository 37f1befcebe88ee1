// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "account.h"
#include "cgroup.h"
#include "environment.h"
#include "path.h"
#include "proto.h"
#include "sandbox.h"

static int report_fd;

static void __attribute__((noreturn, format(printf, 3, 4))) fail(uint16_t kind, int error, const char *format, ...) {
  struct spawn_report report = {.kind = kind, .error = error};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report.step, sizeof report.step, format, arguments);
  va_end(arguments);
  if (write(report_fd, &report, sizeof report) != sizeof report) _exit(126);
  _exit(127);
}

static void check(int result, const char *step) {
  if (result < 0) fail(FAIL_SYSTEM, errno, "%s", step);
}

static void use_pipes(const struct spawn *spawn) {
  if (spawn->input >= 0) check(dup2(spawn->input, 0), "stdin");
  check(dup2(spawn->outputs[0], 1), "stdout");
  check(dup2(spawn->outputs[1], 2), "stderr");
}

static void use_terminal(const struct spawn *spawn, const struct account *account) {
  int slave = ioctl(spawn->master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
  check(slave, "terminal");
  struct termios modes;
  check(tcgetattr(slave, &modes), "terminal modes");
  modes.c_iflag |= IUTF8;
  check(tcsetattr(slave, TCSANOW, &modes), "terminal modes");
  check(fchown(slave, account->uid, account->gid), "terminal owner");
  check(fchmod(slave, 0600), "terminal mode");
  check(ioctl(slave, TIOCSCTTY, 0), "controlling terminal");
  for (int fd = 0; fd < 3; fd++) check(dup2(slave, fd), "terminal streams");
}

// Leaves 0 to 2 and the report, which closes when the command starts.
static void close_others(const struct spawn *spawn) {
  if (report_fd != 3) check(dup3(spawn->report, 3, O_CLOEXEC), "report");
  report_fd = 3;
  check(close_range(4, ~0u, 0), "descriptors");
}

static void set_limits(const struct exec_request *request) {
  struct rlimit files = sandbox.open_files;
  if (request->open_files) files = (struct rlimit){request->open_files, request->open_files};
  check(setrlimit(RLIMIT_NOFILE, &files), "open-file limit");
}

static void become(const struct account *account) {
  check(setgroups(account->group_count, account->groups), "groups");
  check(setresgid(account->gid, account->gid, account->gid), "gid");
  check(setresuid(account->uid, account->uid, account->uid), "uid");
  if (account->uid) check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "capabilities");
}

static void go_to(struct text cwd, const struct account *account) {
  char path[PATH_BYTES_MAX + 1];
  bool home = !cwd.length;
  if (!home && !text_copy(cwd, path, sizeof path)) fail(FAIL_SYSTEM, ENAMETOOLONG, "cwd");
  int fd = path_open(home ? account->home : path, O_PATH | O_DIRECTORY, 0);
  if (fd < 0 && home && errno == ENOENT) fd = path_open("/", O_PATH | O_DIRECTORY, 0);
  if (fd < 0 || fchdir(fd)) fail(FAIL_SYSTEM, errno, "cwd %.200s", home ? account->home : path);
  close(fd);
}

static void reset_signals(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  sigset_t none;
  sigemptyset(&none);
  check(sigprocmask(SIG_SETMASK, &none, NULL), "signal mask");
}

// Tries every directory of the PATH; an entry that may not be executed is remembered but does not end the search.
static void search(char **argv, char **env, const char *path) {
  char file[PATH_BYTES_MAX + 1];
  int error = ENOENT;
  for (const char *from = path, *to; from; from = *to ? to + 1 : NULL) {
    to = strchrnul(from, ':');
    int length = snprintf(file, sizeof file, "%.*s%s%s", (int)(to - from), from, to > from ? "/" : "", argv[0]);
    if (length >= (int)sizeof file) continue;
    execve(file, argv, env);
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
  }
  errno = error;
}

static void run(const struct exec_request *request, const struct account *account, bool terminal) {
  char **argv = text_array(request->argv);
  char **env = environment_of(request->env, account, terminal);
  if (!argv || !env) fail(FAIL_SYSTEM, ENOMEM, "memory");
  const char *path = environment_find(env, "PATH");
  if (!argv[0][0]) errno = ENOENT;
  else if (strchr(argv[0], '/') || !path) execve(argv[0], argv, env);
  else search(argv, env, path);
  fail(FAIL_SYSTEM, errno, "exec %.200s", argv[0]);
}

static void __attribute__((noreturn)) child(const struct spawn *spawn) {
  report_fd = spawn->report;
  int error = spawn->has_cgroup ? cgroup_enter(spawn->number) : 0;
  if (error) fail(FAIL_SYSTEM, error, "cgroup");
  check(setsid(), "session");
  struct account account;
  struct text user = spawn->request->user;
  error = account_find(user.length ? user : (struct text){sandbox.user, (uint16_t)strlen(sandbox.user)}, &account);
  if (error == ENOENT) fail(FAIL_NO_USER, 0, "user %.*s", user.length < 200 ? user.length : 200, user.length ? user.at : sandbox.user);
  if (error) fail(FAIL_SYSTEM, error, "user");
  if (spawn->master >= 0) use_terminal(spawn, &account);
  else use_pipes(spawn);
  close_others(spawn);
  umask(022);
  set_limits(spawn->request);
  become(&account);
  go_to(spawn->request->cwd, &account);
  reset_signals();
  run(spawn->request, &account, spawn->master >= 0);
  _exit(127);
}

pid_t spawn_command(const struct spawn *spawn) {
  pid_t pid = fork();
  if (!pid) child(spawn);
  return pid;
}
