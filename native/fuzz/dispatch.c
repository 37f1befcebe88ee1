// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzzes whole conversations: everything of the guest but the children, the process table, cgroups and sockets, which are
// replaced here. After each conversation nothing may be left.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../agent/cgroup.h"
#include "../agent/clock.h"
#include "../agent/descendants.h"
#include "../agent/dial.h"
#include "../agent/exec_run.h"
#include "../agent/exec_table.h"
#include "../agent/files.h"
#include "../agent/host.h"
#include "../agent/loop.h"
#include "../agent/outbox.h"
#include "../agent/sandbox.h"
#include "../agent/spawn.h"
#include "../agent/worker.h"

enum { PIDS = 1 << 20, TURNS = 64 };

static pid_t last_pid = PIDS;
static uint64_t now;

uint64_t now_ns(void) { return now; }

// The descriptor of a report that says something, as every fourth child does.
static void maybe_report(int fd, const void *report, size_t size) {
  if (last_pid % 4 == 0 && write(fd, report, size) < 0) abort();
}

pid_t spawn_command(const struct message *message, const struct spawn *spawn, struct region **region) {
  *region = region_take();
  struct spawn_report report = {.kind = 4, .error = 2, .step = "exec"};
  last_pid++;
  maybe_report(spawn->report, &report, sizeof report);
  if (spawn->outputs[0] >= 0 && write(spawn->outputs[0], message, sizeof *message) < 0) abort();
  return last_pid;
}

pid_t files_spawn(const struct message *message, const struct file_pipes *pipes) {
  struct worker_report report = {.phase = message->type == 0x41 || message->type == 0x4a ? REPORT_STARTED : REPORT_FINISHED};
  last_pid++;
  maybe_report(pipes->report, &report, sizeof report);
  if (write(pipes->output, "\0\0\0\003abc\0\0\0\001d\0\0", 14) < 0) abort();
  return last_pid;
}

int dial_loopback(int family, uint16_t port) {
  int ends[2];
  if (family == AF_INET && port % 2) return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends)) return -1;
  if (write(ends[1], "hello", 5) < 0) abort();
  close(ends[1]);
  return ends[0];
}

int fuzz_kill(pid_t pid, int number) {
  (void)pid;
  (void)number;
  return 0;
}

void descendants_kill(pid_t leader, bool leader_is_gone) {
  (void)leader;
  (void)leader_is_gone;
}

bool cgroup_is_there(void) { return true; }
void cgroup_kill(uint32_t number) { (void)number; }
void cgroup_kill_others(uint32_t number, pid_t keep) { (void)number, (void)keep; }
void cgroup_signal_others(uint32_t number, pid_t keep, int signal) { (void)number, (void)keep, (void)signal; }
bool cgroup_cpu_us(uint32_t number, uint64_t *cpu_us) { return (void)number, (void)cpu_us, false; }
int cgroup_remove(uint32_t number) { return (void)number, 0; }
int cgroup_events(uint32_t number) { return (void)number, -1; }
uint32_t cgroup_processes(void) { return 0; }

static void settle(void) {
  for (int i = 0; i < 8; i++) {
    now += 100000000;
    exec_expire();
    bool more = loop_run(TURNS, outbox_takes_data);
    outbox_clear();
    if (!loop_wait(0) && !more && exec_timeout_ms() < 0) return;
  }
}

static void converse(const uint8_t *data, size_t size) {
  size_t taken = 1;
  while (size && taken && host_take(data, size, &taken)) {
    data += taken;
    size -= taken;
    settle();
  }
}

static void release(struct exec *exec) {
  struct message message = {.release = {exec->id, (uint16_t)strlen(exec->id)}};
  exec_release(&message);
}

static void end_everything(pid_t first) {
  host_reset();
  struct rusage usage = {0};
  for (pid_t pid = first; pid <= last_pid; pid++) exec_reaped(pid, 0, &usage);
  for (struct exec *exec = exec_next(NULL), *next; exec; exec = next) {
    next = exec_next(exec);
    release(exec);
  }
  settle();
  host_reset();
  loop_wait(0);
  if (exec_records || exec_count()) abort();
  if (sandbox.set_up) free((void *)sandbox.env.at);
  sandbox.set_up = false;
  sandbox.env = (struct text_list){0};
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
  (void)count;
  (void)arguments;
  signal(SIGPIPE, SIG_IGN);
  loop_open();
  sandbox_open(false);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint8_t hello[16] = {0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  if (!size) return 0;
  pid_t first = last_pid + 1;
  size_t taken;
  if (data[0] % 8) host_take(hello, sizeof hello, &taken);
  uint8_t *conversation = malloc(size);
  memcpy(conversation, data + 1, size - 1);
  converse(conversation, size - 1);
  end_everything(first);
  free(conversation);
  return 0;
}
