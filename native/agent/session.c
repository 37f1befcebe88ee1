// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "exec_run.h"
#include "exec_table.h"
#include "outbox.h"
#include "session_files.h"
#include "spawn.h"

struct session {
  struct exec *shell, *command;  // the command that runs now, or NULL
  struct session_files files;
  struct watch begun, status;
  int reader;                    // of the command's stdin, until the shell has opened it
  bool ready;                    // the shell said that it waits for its first command
  bool digits;                   // of a status came
  uint32_t code;                 // they, so far
  uint64_t cpu_before_us;
};

static uint32_t sessions;

// The shell reads one line per command, which says no more than that there is one. A command's streams are the shell's own
// until it ended, so that what a trap prints on the way out goes there too, and nothing is put aside in descriptors that a
// command could close. A `break` or `continue` of the command finds the inner loop; the status is reported where no command
// can jump over it. `set -x` and `set -v` rest meanwhile, see session_files.c. After `set -n` a shell
// executes nothing, for which everything succeeds: `until` ends it, `while` would spin.
static const char LOOP[] =
  "until ! { { __sandgate=$?$-; set +xv; } 2>/dev/null; command exec </dev/null >/dev/null 2>&1 && "
  "command echo \"${__sandgate%%%%[!0-9]*}\" >%1$s/r && command read -r __sandgate_line <%1$s/c; }; do for __sandgate_line in 1; do "
  "command exec <%1$s/i >%1$s/o 2>%1$s/e; >%1$s/b; command . %1$s/s; done; done";
static const char BASH_OR_SH[] =
  "if command -v bash >/dev/null 2>&1; then exec bash -c \"$0\" bash; else exec /bin/sh -c \"$0\" sh; fi";

static void put_string(struct wire_out *out, const char *text) { put_text(out, text, strlen(text)); }

static void put_arguments(struct wire_out *out, const struct exec_request *request, const char *loop) {
  struct text_list asked = request->argv;
  put_u16(out, 4);
  if (!asked.count) {
    put_string(out, "/bin/sh");
    put_string(out, "-c");
    put_string(out, BASH_OR_SH);
    return put_string(out, loop);
  }
  struct text shell = text_list_take(&asked);
  put_text(out, shell.at, shell.length);
  put_string(out, "-c");
  put_string(out, loop);
  put_text(out, shell.at, shell.length);
}

// The shell as a command like any other: a frame as the host would have sent it. False when it does not fit.
static bool shell_frame(const struct message *message, const char *directory, uint8_t *frame, struct message *shell) {
  const struct exec_request *request = &message->exec;
  char loop[sizeof LOOP + 7 * SESSION_PATH_MAX];
  snprintf(loop, sizeof loop, LOOP, directory);
  struct wire_out out = {frame, frame + FRAME_HEADER + FRAME_PAYLOAD_MAX, false};
  put_u32(&out, 0);
  put_u8(&out, EXEC);
  put_u8(&out, 0);
  put_u16(&out, 0);
  put_u32(&out, message->channel);
  put_text(&out, request->id.at, request->id.length);
  put_text(&out, request->cwd.at, request->cwd.length);
  put_text(&out, request->user.at, request->user.length);
  put_u16(&out, 0);
  put_u16(&out, 0);
  put_u32(&out, request->open_files);
  put_arguments(&out, request, loop);
  put_u16(&out, request->env.count);
  put_bytes(&out, request->env.at, request->env.bytes - 2);
  size_t size = (size_t)(out.at - frame);
  struct wire_out length = {frame, frame + 4, false};
  put_u32(&length, (uint32_t)(size - FRAME_HEADER));
  return !out.full && message_parse(frame, size, shell);
}

static void close_reader(struct session *session) {
  if (session->reader >= 0) close(session->reader);
  session->reader = -1;
}

static void begin(struct session *session) {
  if (session->begun.fd < 0) return;
  loop_close(&session->begun);
  close_reader(session);
  exec_began(session->command);
}

static void begun_ready(struct watch *watch, uint32_t events) {
  if (events & (EPOLLHUP | EPOLLIN)) begin(container_of(watch, struct session, begun));
}

static struct exec *take_command(struct session *session) {
  struct exec *command = session->command;
  uint64_t cpu_us;
  if (cgroup_cpu_us(session->shell->number, &cpu_us)) command->cpu_us = cpu_us - session->cpu_before_us;
  command->within = NULL;
  session->command = NULL;
  return command;
}

static void take_status(struct session *session) {
  bool first = !session->ready;
  session->ready = true;
  if (!first && session->command) {
    begin(session);
    exec_ended(take_command(session), (int32_t)(session->code & 255), 0);
  }
  session->code = 0;
  session->digits = false;
}

static void status_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct session *session = container_of(watch, struct session, status);
  char text[64];
  ssize_t got;
  while ((got = read(watch->fd, text, sizeof text)) > 0) {
    for (ssize_t i = 0; i < got; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        session->code = session->code * 10 + (uint32_t)(text[i] - '0');
        session->digits = true;
      } else if (session->digits) {
        take_status(session);
      }
    }
  }
}

static void dispose(struct session *session) {
  loop_close(&session->begun);
  loop_close(&session->status);
  close_reader(session);
  session_files_remove(&session->files);
  sessions--;
  loop_free(session);
}

// A session without its shell; NULL with errno and the step that failed.
static struct session *create(const struct exec_request *request, const char **step) {
  struct session *session = calloc(1, sizeof *session);
  *step = "memory";
  if (!session) return NULL;
  session->begun.fd = session->status.fd = session->reader = -1;
  sessions++;
  *step = "session directory";
  int status = session_files_make(&session->files, request->user);
  if (status >= 0 && loop_watch(&session->status, status, EPOLLIN, status_ready)) return session;
  int error = errno;
  dispose(session);
  errno = error;
  return NULL;
}

static bool start_shell(struct session *session, const struct message *message) {
  uint8_t *frame = malloc(FRAME_HEADER + FRAME_PAYLOAD_MAX);
  struct message shell;
  if (!frame || !shell_frame(message, session->files.path, frame, &shell)) {
    send_fail(message->channel, FAIL_SYSTEM, frame ? E2BIG : ENOMEM, "session");
  } else {
    session->shell = exec_start(&shell);
  }
  free(frame);
  return session->shell;
}

void session_open(const struct message *message) {
  if (message->exec.argv.count > 1) return send_fail(message->channel, FAIL_BAD_REQUEST, 0, "argv: more than a shell");
  if (sessions >= SESSIONS_MAX) return send_fail(message->channel, FAIL_LIMIT, 0, "%d sessions", SESSIONS_MAX);
  const char *step;
  struct session *session = create(&message->exec, &step);
  if (!session) return send_fail(message->channel, FAIL_SYSTEM, errno, "%s: %s", step, strerror(errno));
  if (!start_shell(session, message)) return dispose(session);
  session->shell->session = session;
  session->shell->is_shell = true;
}

static const char *flaw(const struct message *message) {
  if (!message->run.id.length || message->run.id.length > EXEC_ID_MAX) return "id: 1 to 64 bytes";
  if (message->run.length > SCRIPT_BYTES_MAX) return "script: over 60 KiB";
  return memchr(message->run.script, 0, message->run.length) ? "script: a NUL" : NULL;
}

// The session that can run it; otherwise NULL, and the host was told why.
static struct session *session_for(const struct message *message) {
  uint32_t channel = message->channel;
  struct exec *shell = exec_by_id(message->run.session);
  const char *what = flaw(message);
  if (what) send_fail(channel, FAIL_BAD_REQUEST, 0, "%s", what);
  else if (exec_by_id(message->run.id)) send_fail(channel, FAIL_EXISTS, 0, "exec exists");
  else if (!shell || !shell->is_shell) send_fail(channel, FAIL_NOT_FOUND, 0, "no such session");
  else if (!shell->session) send_fail(channel, FAIL_STATE, ESRCH, "the session has ended");
  else if (shell->session->command)
    send_fail(channel, FAIL_STATE, EBUSY, "the session is busy with %s", shell->session->command->id);
  else if (exec_records >= EXECS_MAX) send_fail(channel, FAIL_LIMIT, 0, "%d execs", EXECS_MAX);
  else return shell->session;
  return NULL;
}

static bool watch_output(struct exec *exec, int i, int fd) {
  source_init(&exec->sources[i], fd, (uint8_t)(STREAM_OUT + i), true);
  return loop_watch(&exec->outputs[i], fd, EPOLLIN, i ? exec_stderr_ready : exec_stdout_ready);
}

static bool watch_streams(struct session *session, struct exec *exec, const struct session_streams *streams) {
  bool watched = loop_watch(&session->begun, streams->begun, EPOLLIN, begun_ready);
  for (int i = 0; i < 2; i++) watched &= watch_output(exec, i, streams->outputs[i]);
  session->reader = streams->reader;
  if (streams->input < 0) return watched;
  watched &= loop_watch(&exec->input, streams->input, EPOLLOUT, exec_input_ready);
  sink_init(&exec->sink, exec->input.fd, false);
  return watched;
}

static bool launch(struct session *session, struct exec *exec, const struct message *message) {
  struct session_streams streams;
  if (!session_files_prepare(&session->files, message->run.script, message->run.length, exec->takes_input, &streams)) return false;
  exec->in_session = true;
  exec->pid = session->shell->pid;
  exec->started_ns = now_ns();
  if (!watch_streams(session, exec, &streams) || !session_files_go(&session->files)) return false;
  cgroup_cpu_us(session->shell->number, &session->cpu_before_us);
  exec->within = session;
  session->command = exec;
  return true;
}

void session_run(const struct message *message) {
  struct session *session = session_for(message);
  if (!session) return;
  struct exec *exec = exec_create(message->run.id, message->channel, message->flags, false);
  if (!exec) return send_fail(message->channel, FAIL_SYSTEM, ENOMEM, "memory");
  if (launch(session, exec, message)) return;
  int error = errno;
  loop_close(&session->begun);
  close_reader(session);
  send_fail(message->channel, FAIL_SYSTEM, error, "session: %s", strerror(error));
  exec_abandon(exec);
}

void session_ended(struct exec *shell) {
  struct session *session = shell->session;
  if (!session) return;
  shell->session = NULL;
  struct exec *command = session->command ? take_command(session) : NULL;
  if (command && command->state == EXEC_STARTING) {
    struct spawn_report report = {.kind = FAIL_STATE, .step = "the session has ended"};
    exec_refuse(command, &report);
  } else if (command) {
    exec_ended(command, shell->code, shell->signal);
  }
  dispose(session);
}

void session_signal(const struct exec *command, uint8_t number, uint8_t target) {
  if (!command->within) return;
  struct exec *shell = command->within->shell;
  if (!shell->has_cgroup) return exec_signal(shell, number, target);
  if (target == TARGET_TREE) cgroup_kill_others(shell->number, shell->pid);
  else cgroup_signal_others(shell->number, shell->pid, number);
}
