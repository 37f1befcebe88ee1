// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "task.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdalign.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// A message of one report, with room for a descriptor beside it.
struct letter {
  struct iovec content;
  struct msghdr header;
  alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
};

static struct msghdr *address(struct letter *letter, struct report *report) {
  letter->content = (struct iovec){.iov_base = report, .iov_len = sizeof *report};
  letter->header = (struct msghdr){.msg_iov = &letter->content, .msg_iovlen = 1, .msg_control = letter->control,
                                   .msg_controllen = sizeof letter->control};
  return &letter->header;
}

static void tell(int channel, struct report *report) {
  struct letter letter = {0};
  struct msghdr *header = address(&letter, report);
  if (report->carried <= 0) {
    header->msg_control = NULL;
    header->msg_controllen = 0;
  } else {
    struct cmsghdr *control = CMSG_FIRSTHDR(header);
    *control = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(control), &report->carried, sizeof(int));
  }
  (void)!sendmsg(channel, header, MSG_NOSIGNAL);
}

static ssize_t hear(int channel, struct report *report) {
  struct letter letter = {0};
  struct msghdr *header = address(&letter, report);
  ssize_t count = recvmsg(channel, header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count != sizeof *report) {
    return count;
  }
  struct cmsghdr *control = CMSG_FIRSTHDR(header);
  report->carried = -1;
  if (control != NULL && control->cmsg_type == SCM_RIGHTS) {
    memcpy(&report->carried, CMSG_DATA(control), sizeof(int));
  }
  return count;
}

static void run(struct host *host, task_work *work, const void *what, int channel, pid_t spawner) {
  static struct report report;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == spawner) {
    work(host, what, &report);
    tell(channel, &report);
  }
  _exit(0);
}

int task_begin(struct host *host, struct task *task, task_work *work, const void *what, struct fault *fault) {
  int ends[2];
  task->report = task->process = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail(fault, STEP_TREE, "make a child's channel");
  }
  pid_t spawner = getpid();
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    run(host, work, what, ends[1], spawner);
  }
  close(ends[1]);
  task->report = ends[0];
  task->process = pid < 0 ? -1 : process_descriptor(pid);
  if (pid < 0) {
    fail(fault, STEP_TREE, "make a child");
    task_end(task);
    return -1;
  }
  return 0;
}

int task_poll(const struct task *task, struct report *report, struct fault *fault) {
  ssize_t count = hear(task->report, report);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return 1;
  }
  if (count != sizeof *report) {
    return fail_with(fault, STEP_TREE, ECHILD, "the child that worked on the tree died");
  }
  if (report->fault.step != 0) {
    *fault = report->fault;
    fault->text[sizeof fault->text - 1] = 0;
    return -1;
  }
  return 0;
}

void task_end(struct task *task) {
  if (task->process >= 0) {
    process_signal(task->process, SIGKILL);
    close(task->process);
  }
  if (task->report >= 0) {
    close(task->report);
  }
  task->process = task->report = -1;
}
