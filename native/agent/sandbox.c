// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "exec_table.h"
#include "loop.h"
#include "outbox.h"
#include "proto.h"

struct sandbox sandbox = {.user = "root"};

void sandbox_open(bool first_process) {
  sandbox.first_process = first_process;
  sandbox.started_ns = now_ns();
  if (getrandom(&sandbox.boot_id, sizeof sandbox.boot_id, 0) != sizeof sandbox.boot_id) abort();
  getrlimit(RLIMIT_NOFILE, &sandbox.own_open_files);
  sandbox.open_files = sandbox.own_open_files;
  struct rlimit raised = {sandbox.own_open_files.rlim_max, sandbox.own_open_files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
}

bool environment_is_valid(struct text_list env) {
  while (env.count) {
    struct text entry = text_list_take(&env);
    const char *equals = memchr(entry.at, '=', entry.length);
    if (!equals || equals == entry.at) return false;
  }
  return true;
}

static bool keep_env(struct text_list env) {
  uint8_t *copy = malloc(env.bytes);
  if (!copy) return false;
  memcpy(copy, env.at, env.bytes - 2);
  env.at = copy;
  sandbox.env = env;
  return true;
}

static int set_hostname(struct text name) {
  if (!name.length || !sandbox.first_process) return 0;
  if (!sethostname(name.at, name.length) || errno == EPERM) return 0;
  return errno;
}

static void refuse(int kind, int error, const char *step) {
  send_fail(0, (uint16_t)kind, error, "%s%s%s", step, error ? ": " : "", error ? strerror(error) : "");
}

void sandbox_set_up(const struct setup_request *request) {
  if (sandbox.set_up) return refuse(FAIL_STATE, 0, "set up already");
  if (!environment_is_valid(request->env)) return refuse(FAIL_BAD_REQUEST, 0, "env: not NAME=value");
  if (request->user.length >= sizeof sandbox.user) return refuse(FAIL_BAD_REQUEST, 0, "user: too long");
  if (request->env.bytes > ARGUMENT_BYTES_MAX) return refuse(FAIL_SYSTEM, E2BIG, "env");
  if (request->open_files > sandbox.own_open_files.rlim_max) return refuse(FAIL_SYSTEM, EPERM, "open-file limit");
  if (chdir("/")) return refuse(FAIL_SYSTEM, errno, "chdir /");
  int error = set_hostname(request->hostname);
  if (error) return refuse(FAIL_SYSTEM, error, "hostname");
  if (!keep_env(request->env)) return refuse(FAIL_SYSTEM, ENOMEM, "env");
  if (request->user.length) text_copy(request->user, sandbox.user, sizeof sandbox.user);
  if (request->open_files) sandbox.open_files = (struct rlimit){request->open_files, request->open_files};
  sandbox.set_up = true;
  send_ok(0);
}

void sandbox_stats(uint32_t channel) {
  struct wire_out out = frame_begin(STATS_INFO, 0, channel);
  put_u32(&out, cgroup_processes());
  put_u32(&out, exec_count());
  put_u64(&out, (now_ns() - sandbox.started_ns) / 1000000);
  frame_end(&out);
}
