// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// A stand-in for the guest agent in the spawner's tests: one connection is one command. Request: u32 length, u32 uid,
// argv with a NUL after each. The command's output comes back, then 0xff, its exit code and its signal. A first
// argument that begins with '@' is done by the agent itself with its descriptors: @open PATH and @mkdir PATH
// below descriptor 4.

enum { LISTENER = 3, CGROUP = 4, REQUEST_MOST = 65536, ARGUMENTS_MOST = 256 };

static char request[REQUEST_MOST + 1];

static int read_all(int fd, void *to, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(fd, (char *)to + done, size - done);
    if (count <= 0) {
      return -1;
    }
    done += (size_t)count;
  }
  return 0;
}

static int own_work(int connection, char **arguments) {
  int result = strcmp(arguments[0], "@mkdir") == 0 ? mkdirat(CGROUP, arguments[1], 0755)
                                                   : openat(CGROUP, arguments[1], O_WRONLY | O_CLOEXEC);
  dprintf(connection, "%s\n", result >= 0 ? "done" : strerrorname_np(errno));
  return result >= 0 ? 0 : 1;
}

static void run(int connection, uint32_t uid, char **arguments) {
  char *const environment[] = {"PATH=/bin:/usr/bin:/sbin:/usr/sbin", NULL};
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, 0);
  dup2(connection, 1);
  dup2(connection, 2);
  setsid();
  if (chdir("/") != 0 || (uid != 0 && (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))) {
    _exit(126);
  }
  execve(arguments[0], arguments, environment);
  dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

static void handle(int connection) {
  uint32_t header[2];
  char *arguments[ARGUMENTS_MOST] = {NULL};
  size_t count = 0;
  signal(SIGCHLD, SIG_DFL);
  if (read_all(connection, header, sizeof header) != 0 || ntohl(header[0]) > REQUEST_MOST ||
      read_all(connection, request, ntohl(header[0])) != 0) {
    _exit(1);
  }
  for (char *at = request; at < request + ntohl(header[0]) && count < ARGUMENTS_MOST - 1; at += strlen(at) + 1) {
    arguments[count++] = at;
  }
  int status = 0;
  if (arguments[0][0] == '@') {
    status = own_work(connection, arguments) << 8;
  } else {
    pid_t pid = fork();
    if (pid == 0) {
      run(connection, ntohl(header[1]), arguments);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  uint8_t trailer[3] = {0xff, WIFEXITED(status) ? (uint8_t)WEXITSTATUS(status) : 0,
                        WIFSIGNALED(status) ? (uint8_t)WTERMSIG(status) : 0};
  (void)!write(connection, trailer, sizeof trailer);
  shutdown(connection, SHUT_WR);
  _exit(0);
}

int main(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  fcntl(LISTENER, F_SETFD, FD_CLOEXEC);
  fcntl(CGROUP, F_SETFD, FD_CLOEXEC);
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    int connection = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) {
      continue;
    }
    if (fork() == 0) {
      handle(connection);
    }
    close(connection);
  }
}
