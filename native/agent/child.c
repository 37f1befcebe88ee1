// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <asm/termbits.h>

#include "account.h"
#include "cgroup.h"
#include "environment.h"
#include "path.h"
#include "proto.h"
#include "raw.h"

static void __attribute__((noreturn)) leave(void) {
  for (;;) RAW(SYS_exit_group, 127, 0, 0, 0, 0);
}

static void __attribute__((noreturn)) fail(int report_fd, uint16_t kind, int error, const char *step, const char *object) {
  struct spawn_report report = {.kind = kind, .error = error};
  size_t length = strnlen(step, 32);
  memcpy(report.step, step, length);
  if (object) {
    report.step[length++] = ' ';
    memcpy(report.step + length, object, strnlen(object, sizeof report.step - 1 - length));
  }
  raw_write(report_fd, &report, sizeof report);
  leave();
}

static void check(int report_fd, long result, const char *step) {
  if (result < 0) fail(report_fd, FAIL_SYSTEM, (int)-result, step, NULL);
}

static void find_account(const struct child *child, struct account *account) {
  int report = child->spawn.report;
  struct text user = child->spawn.request.user;
  if (!user.length) user = (struct text){child->user, (uint16_t)strlen(child->user)};
  int error = account_find(user, account);
  char name[64] = "";
  if (!text_copy(user, name, sizeof name)) memcpy(name, user.at, sizeof name - 1);
  if (error == ENOENT) fail(report, FAIL_NO_USER, 0, "no such user:", name);
  if (error) fail(report, FAIL_SYSTEM, error, "user", name);
}

static void use_pipes(const struct spawn *spawn) {
  if (spawn->input >= 0) check(spawn->report, raw_dup3(spawn->input, 0, 0), "stdin");
  check(spawn->report, raw_dup3(spawn->outputs[0], 1, 0), "stdout");
  check(spawn->report, raw_dup3(spawn->outputs[1], 2, 0), "stderr");
}

static void use_terminal(const struct spawn *spawn, const struct account *account) {
  int report = spawn->report;
  int slave = (int)raw_ioctl(spawn->master, TIOCGPTPEER, (void *)(long)(O_RDWR | O_NOCTTY));
  check(report, slave, "terminal");
  struct termios modes;
  check(report, raw_ioctl(slave, TCGETS, &modes), "terminal modes");
  modes.c_iflag |= IUTF8;
  check(report, raw_ioctl(slave, TCSETS, &modes), "terminal modes");
  check(report, RAW(SYS_fchown, slave, account->uid, account->gid, 0, 0), "terminal owner");
  check(report, RAW(SYS_fchmod, slave, 0600, 0, 0, 0), "terminal mode");
  check(report, raw_ioctl(slave, TIOCSCTTY, NULL), "controlling terminal");
  for (int fd = 0; fd < 3; fd++) check(report, raw_dup3(slave, fd, 0), "terminal streams");
}

// Leaves 0 to 2 and, as 3, the report, which closes when the command starts.
static int close_others(int report) {
  if (report != 3) check(report, raw_dup3(report, 3, O_CLOEXEC), "report");
  check(3, RAW(SYS_close_range, 4, ~0u, 0, 0, 0), "descriptors");
  return 3;
}

static void set_limits(int report, const struct child *child) {
  struct rlimit files = child->open_files;
  uint32_t wanted = child->spawn.request.open_files;
  if (wanted) files = (struct rlimit){wanted, wanted};
  check(report, RAW(SYS_prlimit64, 0, RLIMIT_NOFILE, &files, 0, 0), "open-file limit");
}

// The kernel says EINVAL of an id that the sandbox's user namespace does not have.
static void check_id(int report, long result, const char *step, const struct account *account) {
  if (result == -EINVAL) fail(report, FAIL_NO_USER, 0, "no such user (out of range):", account->name);
  check(report, result, step);
}

static void become(int report, const struct account *account) {
  check_id(report, RAW(SYS_setgroups, account->group_count, account->groups, 0, 0, 0), "groups", account);
  check_id(report, RAW(SYS_setresgid, account->gid, account->gid, account->gid, 0, 0), "gid", account);
  check_id(report, RAW(SYS_setresuid, account->uid, account->uid, account->uid, 0, 0), "uid", account);
  if (!account->uid) return;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  check(report, RAW(SYS_capset, &header, none, 0, 0, 0), "capabilities");
}

static void go_to(int report, struct text cwd, const struct account *account) {
  char path[PATH_BYTES_MAX + 1];
  bool home = !cwd.length;
  if (!home && !text_copy(cwd, path, sizeof path)) fail(report, FAIL_SYSTEM, ENAMETOOLONG, "cwd", NULL);
  const char *wanted = home ? account->home : path;
  int fd = path_open(wanted, O_PATH | O_DIRECTORY, 0);
  if (fd == -ENOENT && home) fd = path_open("/", O_PATH | O_DIRECTORY, 0);
  long result = fd < 0 ? fd : RAW(SYS_fchdir, fd, 0, 0, 0, 0);
  if (result < 0) fail(report, FAIL_SYSTEM, (int)-result, "cwd", wanted);
  raw_close(fd);
}

// The guest ignores SIGPIPE and blocks what it waits for; everything else has been at its default since the guest's start.
static void reset_signals(int report) {
  struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); uint64_t mask; } standard = {SIG_DFL, 0, NULL, 0};
  uint64_t none = 0;
  check(report, RAW(SYS_rt_sigaction, SIGPIPE, &standard, NULL, sizeof none, 0), "signals");
  check(report, RAW(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none, 0), "signal mask");
}

// Tries every directory of the PATH; what may not be executed is remembered but does not end the search.
static long search(char **argv, char **env, const char *path) {
  char file[PATH_BYTES_MAX + 1];
  size_t name = strlen(argv[0]) + 1;
  long error = -ENOENT;
  for (const char *from = path, *to; from; from = *to ? to + 1 : NULL) {
    to = strchrnul(from, ':');
    size_t length = (size_t)(to - from);
    if (length + 1 + name > sizeof file) continue;
    memcpy(file, from, length);
    if (length) file[length++] = '/';
    memcpy(file + length, argv[0], name);
    long result = RAW(SYS_execve, file, argv, env, 0, 0);
    if (result == -ENOENT || result == -ENOTDIR) continue;
    error = result;
    if (result != -EACCES) break;
  }
  return error;
}

static void run(int report, const struct child *child, const struct account *account) {
  const struct exec_request *request = &child->spawn.request;
  char **argv = text_array(child->region, request->argv);
  char **env = environment_of(child->region, child->shared_env, request->env, account, child->spawn.master >= 0);
  if (!argv || !env) fail(report, FAIL_SYSTEM, E2BIG, "arguments", NULL);
  const char *path = environment_find(env, "PATH");
  long result = -ENOENT;
  if (strchr(argv[0], '/')) result = RAW(SYS_execve, argv[0], argv, env, 0, 0);
  else if (argv[0][0] && path) result = search(argv, env, path);
  fail(report, FAIL_SYSTEM, (int)-result, "exec", argv[0]);
}

int child_main(void *argument) {
  const struct child *child = argument;
  const struct spawn *spawn = &child->spawn;
  int report = spawn->report;
  if (spawn->has_cgroup) check(report, -cgroup_enter(spawn->number), "cgroup");
  check(report, RAW(SYS_setsid, 0, 0, 0, 0, 0), "session");
  struct account account;
  find_account(child, &account);
  if (spawn->master >= 0) use_terminal(spawn, &account);
  else use_pipes(spawn);
  report = close_others(report);
  RAW(SYS_umask, 022, 0, 0, 0, 0);
  set_limits(report, child);
  become(report, &account);
  go_to(report, spawn->request.cwd, &account);
  reset_signals(report);
  run(report, child, &account);
  leave();
}
