// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The first process of a machine whose two CPUs are threads of one core (see .ci/core-scheduling.sh). It has the real
// spawner make sandboxes whose "agent" is this program again, spinning; looks at their cookies; and measures what a
// best-effort spinner gets on the other thread of the core where a latency-sensitive one runs.

enum { CORE = 62, CORE_GET = 0, CORE_SHARE_TO = 2, GROUP = 1, CREATE = 2, DESTROY = 4, OK = 0x80, CPUS = 2 };
enum { SENSITIVE = 0, BEST_EFFORT = 1, SETTLE_SECONDS = 1, MEASURE_SECONDS = 8 };

static bool failed;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fflush(stdout);
}

static void check(bool holds, const char *what) {
  say("core-scheduling: %s: %s\n", what, holds ? "held" : "MISSED");
  failed |= !holds;
}

_Noreturn static void end(void) {
  say("core-scheduling: result: %s\n", failed ? "failed" : "ok");
  reboot(RB_POWER_OFF);
  _exit(1);
}

_Noreturn static void die(const char *what) {
  say("core-scheduling: %s: %s\n", what, strerror(errno));
  failed = true;
  end();
}

static void attach(const char *type, const char *to) {
  mkdir(to, 0755);
  if (mount(type, to, type, 0, NULL) != 0 && errno != EBUSY) {
    die(to);
  }
}

static void start_spawner(void) {
  pid_t pid = fork();
  if (pid == 0) {
    execl("/spawner", "spawner", "serve", "--run", "/run/node", "--state", "/run/state", "--agent", "/init", NULL);
    _exit(127);
  }
  int status;
  if (waitpid(pid, &status, 0) != pid || status != 0) {
    die("start the spawner");
  }
}

static int dial(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/node/spawner.sock"};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    die("connect to the spawner");
  }
  return fd;
}

/// Sends a request that begins with an id; the answer's first four bytes as a number.
static uint32_t ask(uint8_t type, const char *id, const uint8_t *rest, uint8_t rest_size) {
  uint8_t out[128] = {0, 0, 0, (uint8_t)(2 + strlen(id) + rest_size), type, 0, (uint8_t)strlen(id)};
  uint8_t in[512] = {0};
  int fd = dial();
  memcpy(out + 7, id, strlen(id));
  memcpy(out + 7 + strlen(id), rest, rest_size);
  if (write(fd, out, 7 + strlen(id) + rest_size) < 0 || read(fd, in, sizeof in) < 5 || in[4] != OK) {
    say("core-scheduling: %s: %.200s\n", id, (char *)in + 13);
    die("the spawner refused");
  }
  close(fd);
  return (uint32_t)in[5] << 24 | (uint32_t)in[6] << 16 | (uint32_t)in[7] << 8 | in[8];
}

static pid_t create(const char *id, uint8_t class) {
  uint8_t rest[17] = {class};
  return (pid_t)ask(CREATE, id, rest, sizeof rest);
}

static void destroy(const char *id) {
  static const uint8_t no_upper[2];
  ask(DESTROY, id, no_upper, sizeof no_upper);
}

static uint64_t cookie_of(pid_t pid) {
  uint64_t cookie = 0;
  if (prctl(CORE, CORE_GET, pid, 0, &cookie) != 0) {
    die("read a cookie");
  }
  return cookie;
}

static pid_t spawner_pid(void) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  int fd = dial();
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    die("find the spawner");
  }
  close(fd);
  return peer.pid;
}

/// It is no child of ours: its lock is free when it is gone.
static void kill_spawner(void) {
  struct timespec pause = {.tv_nsec = 10000000};
  pid_t pid = spawner_pid();
  kill(pid, SIGKILL);
  while (kill(pid, 0) == 0) {
    waitpid(pid, NULL, WNOHANG);
    nanosleep(&pause, NULL);
  }
}

static void check_cookies(void) {
  uint64_t one = cookie_of(create("one", SENSITIVE));
  uint64_t two = cookie_of(create("two", SENSITIVE));
  uint64_t idle = cookie_of(create("idle", BEST_EFFORT));
  say("core-scheduling: cookies: latency-sensitive %llx and %llx, best effort %llx, the spawner %llx\n",
      (unsigned long long)one, (unsigned long long)two, (unsigned long long)idle,
      (unsigned long long)cookie_of(spawner_pid()));
  check(one != 0 && one == two, "latency-sensitive sandboxes share one cookie");
  check(idle == 0, "a best-effort sandbox has none");
  check(cookie_of(spawner_pid()) == 0, "the spawner has none");
  destroy("one");
  kill_spawner();
  start_spawner();
  uint64_t later = cookie_of(create("later", SENSITIVE));
  check(later == two, "another spawner gives the cookie of those that live");
  destroy("two");
  destroy("idle");
  destroy("later");
}

static void pin(pid_t pid, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(pid, sizeof set, &set) != 0) {
    die("pin a sandbox");
  }
}

static double cpu_seconds(const char *class, const char *id) {
  char path[128];
  char text[512] = "";
  snprintf(path, sizeof path, "/sys/fs/cgroup/sandgate/%s/%s/cpu.stat", class, id);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) {
    die(path);
  }
  close(fd);
  return strtod(strchr(text, ' '), NULL) / 1e6;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct shares {
  double sensitive;
  double best_effort;
};

/// What both spinners get, in CPUs of the machine.
static struct shares measure(const char *what) {
  struct timespec settle = {.tv_sec = SETTLE_SECONDS};
  struct timespec enough = {.tv_sec = MEASURE_SECONDS};
  nanosleep(&settle, NULL);
  double begun = now();
  double sensitive = cpu_seconds("ls", "spinner");
  double best_effort = cpu_seconds("be", "spinner-be");
  nanosleep(&enough, NULL);
  double passed = now() - begun;
  struct shares shares = {(cpu_seconds("ls", "spinner") - sensitive) / passed,
                          (cpu_seconds("be", "spinner-be") - best_effort) / passed};
  say("core-scheduling: %s: latency-sensitive %.1f %%, best effort on the sibling %.1f %% of a thread\n", what,
      100 * shares.sensitive, 100 * shares.best_effort);
  return shares;
}

/// The same two processes, first as the spawner made them, then with the cookie taken away.
static void check_siblings(void) {
  pid_t sensitive = create("spinner", SENSITIVE);
  pid_t best_effort = create("spinner-be", BEST_EFFORT);
  pin(sensitive, 0);
  pin(best_effort, 1);
  struct shares with = measure("with cookies");
  check(with.sensitive > 0.9, "the latency-sensitive task keeps its thread");
  check(with.best_effort < 0.05, "best effort stays off the sibling of a running latency-sensitive task");
  kill(sensitive, SIGSTOP);
  struct shares stopped = measure("with cookies, the latency-sensitive task stopped");
  check(stopped.best_effort > 0.9, "best effort has the core when no latency-sensitive task runs");
  kill(sensitive, SIGCONT);
  if (prctl(CORE, CORE_SHARE_TO, sensitive, GROUP, 0) != 0 || cookie_of(sensitive) != 0) {
    die("take the cookie away");
  }
  struct shares without = measure("without cookies");
  check(without.sensitive > 0.9 && without.best_effort > 0.9, "without cookies both run at full speed");
  destroy("spinner");
  destroy("spinner-be");
}

static void check_siblings_exist(void) {
  char text[64] = "";
  int fd = open("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) {
    die("read the siblings of CPU 0");
  }
  close(fd);
  text[strcspn(text, "\n")] = 0;
  say("core-scheduling: siblings of CPU 0: %s\n", text);
  check(strcmp(text, "0-1") == 0 || strcmp(text, "0,1") == 0, "the two CPUs are threads of one core");
}

static void copy_program(const char *from, const char *to) {
  struct stat facts;
  int source = open(from, O_RDONLY | O_CLOEXEC);
  int target = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (source < 0 || target < 0 || fstat(source, &facts) != 0) {
    die(from);
  }
  for (off_t left = facts.st_size; left > 0;) {
    ssize_t count = sendfile(target, source, NULL, (size_t)left);
    if (count <= 0) {
      die(to);
    }
    left -= count;
  }
  close(source);
  close(target);
}

/// Nobody can pivot away from the first root of a machine, as the spawner does.
static void leave_first_root(void) {
  attach("tmpfs", "/root");
  copy_program("/init", "/root/init");
  copy_program("/spawner", "/root/spawner");
  if (chdir("/root") != 0 || mount(".", "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0 || chdir("/") != 0) {
    die("leave the first root");
  }
}

static void be_the_machine(void) {
  leave_first_root();
  attach("proc", "/proc");
  attach("sysfs", "/sys");
  attach("devtmpfs", "/dev");
  attach("tmpfs", "/run");
  attach("cgroup2", "/sys/fs/cgroup");
  mkdir("/run/node", 0700);
  mkdir("/run/state", 0700);
  pin(0, 0);
  check_siblings_exist();
  start_spawner();
  check_cookies();
  check_siblings();
  end();
}

/// The kernel gives a program that was started without arguments an empty first one.
int main(int count, char **arguments) {
  if (count > 0 && arguments[0] != NULL && arguments[0][0] != 0) {
    be_the_machine();
  }
  for (volatile uint64_t spins = 0;; spins++) {
  }
}
