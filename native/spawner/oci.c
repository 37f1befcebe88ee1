// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "oci.h"
#include "cores.h"
#include "destroy.h"
#include "kernel.h"
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The second provider of blanks: an OCI runtime makes the namespaces, from the same mounts, id map, capabilities and
// masks as the native one. The filter is ours and not the runtime's: the container begins with this program, which
// installs it and becomes the agent. The socket, the cgroups and the resident spawner's later work are the same.

enum { LISTENER = 3, CGROUP = 4, PRESERVED = 2, HIGH = 10, START_MS = 10000 };

static const char config_path[] = OCI_WORLD "/config.json";
static const char pid_path[] = OCI_WORLD "/pid";
static const char log_path[] = OCI_WORLD "/log";

static int complain(const struct fault *fault) {
  fprintf(stderr, "spawner: %s: %s\n", fault->text, strerror(fault->error));
  return 1;
}

static bool is_supported(const struct oci_blank *blank) {
  if (strcmp(blank->runtime, "runsc") == 0) {
    fputs("spawner: runsc cannot give blanks: gVisor keeps a mount table of its own, so that a root which is mounted\n"
          "from the host into a running sandbox is never seen inside; use crun or runc\n",
          stderr);
    return false;
  }
  if (strcmp(blank->runtime, "crun") != 0 && strcmp(blank->runtime, "runc") != 0) {
    fprintf(stderr, "spawner: there is no runtime %s; use crun or runc\n", blank->runtime);
    return false;
  }
  if (!id_valid(blank->id)) {
    fputs("spawner: an id is 1 to 63 of a-z, 0-9 and -\n", stderr);
    return false;
  }
  return true;
}

static int bind_file(const char *from, const char *to, struct fault *fault) {
  int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
  if (fd < 0 || close(fd) != 0 || mount(from, to, NULL, MS_BIND, NULL) != 0) {
    return fail(fault, STEP_MOUNTS, "bind %s", from);
  }
  return mount_attributes(AT_FDCWD, to, MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_DEV, -1) == 0
             ? 0
             : fail(fault, STEP_MOUNTS, "protect %s", to);
}

/// The container's first root: mount points and the two programs, which no sandbox sees after activation.
static int make_root(const struct settings *settings, struct fault *fault) {
  static const char *const names[] = {"root", "root/proc", "root/sys", "root/dev"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (mkdir(names[i], 0755) != 0) {
      return fail(fault, STEP_MOUNTS, "make %s", names[i]);
    }
  }
  // By name: the link in /proc leads to the mount that we had before we made a namespace of our own.
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) {
    return fail(fault, STEP_MOUNTS, "find our own program");
  }
  self[length] = 0;
  if (bind_file(self, "root/init", fault) != 0) {
    return -1;
  }
  return bind_file(settings->agent, "root/agent", fault);
}

/// crun and runc take only a host whose whole cgroup tree is v2: on a hybrid one they are shown that part alone.
static int show_v2_only(const struct host *host, struct fault *fault) {
  if (!cgroups_hybrid(&host->cgroups)) {
    return 0;
  }
  int result = mount("cgroup2", "/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  return result == 0 ? 0 : fail(fault, STEP_MOUNTS, "mount cgroup2 on /sys/fs/cgroup");
}

static int write_config(const struct host *host, const struct oci_blank *blank, struct fault *fault) {
  FILE *file = fopen(config_path, "we");
  if (file == NULL) {
    return fail(fault, STEP_START, "make %s", config_path);
  }
  oci_write_config(file, host, blank);
  return fclose(file) == 0 ? 0 : fail(fault, STEP_START, "write %s", config_path);
}

static int prepare(struct host *host, const struct oci_blank *blank, struct fault *fault) {
  if (host_make_world(host, OCI_WORLD, fault) != 0 || make_root(&host->settings, fault) != 0) {
    return -1;
  }
  return show_v2_only(host, fault) != 0 ? -1 : write_config(host, blank, fault);
}

/// So that the container is born in the sandbox's cgroups. crun is told to leave cgroups alone; runc moves the
/// container into the v2 one itself, and takes no other process there.
static int enter_cgroups(const struct host *host, const struct oci_blank *blank, struct fault *fault) {
  bool all = strcmp(blank->runtime, "crun") == 0;
  return all ? cgroup_attach(&host->cgroups, blank->class, blank->id, getpid(), fault)
             : cgroup_attach_v1(&host->cgroups, blank->class, blank->id, getpid(), fault);
}

/// The child becomes the runtime.
static void become_runtime(struct host *host, const struct oci_blank *blank, int listener, int cgroup) {
  struct fault fault;
  char state[4200];
  char preserve[24];
  snprintf(state, sizeof state, "/proc/self/fd/%d/oci/%s", host->run, blank->runtime);
  char *root = realpath(state, NULL);
  if (root == NULL || enter_cgroups(host, blank, &fault) != 0 ||
      cores_take(&host->cgroups, blank->class, &fault) != 0) {
    _exit(126);
  }
  int high_listener = fcntl(listener, F_DUPFD_CLOEXEC, HIGH);
  int high_cgroup = fcntl(cgroup, F_DUPFD_CLOEXEC, HIGH);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; fd++) {
    dup2(null, fd);
  }
  if (dup2(high_listener, LISTENER) != LISTENER || dup2(high_cgroup, CGROUP) != CGROUP ||
      syscall(SYS_close_range, CGROUP + 1, ~0U, 0) != 0) {
    _exit(126);
  }
  snprintf(preserve, sizeof preserve, "--preserve-fds=%d", PRESERVED);
  bool is_crun = strcmp(blank->runtime, "crun") == 0;
  const char *arguments[16] = {blank->runtime, "--root", root, "--log", log_path};
  size_t count = 5;
  if (is_crun) {
    arguments[count++] = "--cgroup-manager=disabled";
  }
  const char *const rest[] = {"run", "-d", preserve, "--pid-file", pid_path, "-b", OCI_WORLD, blank->id};
  memcpy(arguments + count, rest, sizeof rest);
  execvp(blank->runtime, (char *const *)arguments);
  _exit(127);
}

static const char *last_line(char *text) {
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == '\n') {
    text[--length] = 0;
  }
  const char *line = strrchr(text, '\n');
  return line == NULL ? text : line + 1;
}

/// Waits for the runtime, which ends when the container runs; the agent's pid or -1.
static pid_t await_runtime(pid_t runtime, const struct oci_blank *blank, struct fault *fault) {
  int status;
  char text[1024] = "";
  while (waitpid(runtime, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) {
    read_file(AT_FDCWD, log_path, text, sizeof text);
    return fail_with(fault, STEP_CLONE, ECHILD, "%s ended with %d: %s", blank->runtime, WEXITSTATUS(status),
                     last_line(text));
  }
  if (read_file(AT_FDCWD, pid_path, text, sizeof text) <= 0) {
    return fail(fault, STEP_CLONE, "read the pid of %s", blank->id);
  }
  return (pid_t)atoi(text);
}

/// The runtime ends when the container's first program begins; the blank is ready once that has become the agent, since
/// activation takes the root away in which the agent's program lies.
static int await_agent(const struct settings *settings, pid_t pid, struct fault *fault) {
  char path[32];
  struct stat wanted;
  struct stat running;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  if (stat(settings->agent, &wanted) != 0) {
    return fail(fault, STEP_EXEC, "look at %s", settings->agent);
  }
  for (int64_t deadline = now_ms() + START_MS; now_ms() < deadline; poll(NULL, 0, 1)) {
    if (stat(path, &running) != 0) {
      return fail(fault, STEP_EXEC, "the container ended before it became the agent");
    }
    if (running.st_dev == wanted.st_dev && running.st_ino == wanted.st_ino) {
      return 0;
    }
  }
  return fail_with(fault, STEP_EXEC, ETIMEDOUT, "the container did not become the agent");
}

static pid_t run_runtime(struct host *host, const struct oci_blank *blank, struct fault *fault) {
  int listener = socket_listen(host, blank->id, fault);
  int cgroup = listener < 0 ? -1 : cgroup_mount(OCI_WORLD, blank->class, blank->id, fault);
  if (cgroup < 0) {
    return -1;
  }
  pid_t runtime = fork();
  if (runtime == 0) {
    become_runtime(host, blank, listener, cgroup);
  }
  pid_t agent = runtime < 0 ? fail(fault, STEP_CLONE, "start the runtime") : await_runtime(runtime, blank, fault);
  return agent > 0 && await_agent(&host->settings, agent, fault) == 0 ? agent : -1;
}

/// What lies below the place of our world would be covered by it.
static bool is_reachable(const char *path) {
  char *real = realpath(path, NULL);
  bool covered = real != NULL && strncmp(real, OCI_WORLD "/", strlen(OCI_WORLD "/")) == 0;
  if (covered) {
    fprintf(stderr, "spawner: %s must not lie below " OCI_WORLD "\n", path);
  }
  free(real);
  return !covered;
}

static int make_state_directory(const struct host *host, const struct oci_blank *blank, struct fault *fault) {
  char path[24];
  snprintf(path, sizeof path, "oci/%s", blank->runtime);
  bool made = (mkdirat(host->run, "oci", 0700) == 0 || errno == EEXIST) &&
              (mkdirat(host->run, path, 0700) == 0 || errno == EEXIST);
  return made ? 0 : fail(fault, STEP_START, "make %s", path);
}

int oci_create_command(const struct settings *settings, const struct oci_blank *blank) {
  static struct host host;
  static const struct limits none;
  struct fault fault = {0};
  if (!is_supported(blank) || !is_reachable(settings->run) || !is_reachable(settings->agent)) {
    return 2;
  }
  if (host_open_run(&host, settings, &fault) != 0 || make_state_directory(&host, blank, &fault) != 0 ||
      prepare(&host, blank, &fault) != 0 ||
      cgroup_create(&host.cgroups, blank->class, blank->id, &none, settings->uid_base, &fault) != 0) {
    return complain(&fault);
  }
  pid_t agent = run_runtime(&host, blank, &fault);
  if (agent <= 0) {
    destroy_now(&host, blank->id, "");
    return complain(&fault);
  }
  printf("{\"pid\": %d}\n", agent);
  return 0;
}

int oci_delete_command(const struct settings *settings, const struct oci_blank *blank) {
  static struct host host;
  struct fault fault = {0};
  if (!is_supported(blank)) {
    return 2;
  }
  if (host_open_run(&host, settings, &fault) != 0) {
    return complain(&fault);
  }
  if (!destroy_now(&host, blank->id, "")) {
    fprintf(stderr, "spawner: %s is still dying\n", blank->id);
    return 1;
  }
  return 0;
}

int oci_init_command(void) {
  static char *const nothing[] = {NULL};
  signal(SIGPIPE, SIG_DFL);
  bool ready = syscall(SYS_close_range, CGROUP + 1, ~0U, 0) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  if (ready && seccomp_install() == 0) {
    execve("/agent", nothing, nothing);
  }
  return 1;
}
