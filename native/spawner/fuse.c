// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "fuse.h"
#include "demand.h"
#include "kernel.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The kernel's FUSE protocol, as much of it as one flat, read-only directory of images needs. A file's number is the
// beginning of its digest, its handle the open image.

enum { READ_MOST = 256 << 10, REQUEST_ROOM = FUSE_MIN_READ_BUFFER + 4096, READERS = 2, KNOWN = 4096, CACHED_SECONDS = 3600 };

enum { KEPT = 64, DIGEST_AT = 7, NAME_LENGTH = DIGEST_AT + 64, NUMBER_DIGITS = 15 };

static int device;
static int directory;

/// Sizes by file number, for questions that come without a handle.
static struct {
  uint64_t number;
  uint64_t size;
} known[KNOWN];

static pthread_mutex_t knowing = PTHREAD_MUTEX_INITIALIZER;

static void keep_size(uint64_t number, uint64_t size) {
  pthread_mutex_lock(&knowing);
  known[number % KNOWN].number = number;
  known[number % KNOWN].size = size;
  pthread_mutex_unlock(&knowing);
}

/// 0 when it is not known; no image is empty.
static uint64_t kept_size(uint64_t number) {
  pthread_mutex_lock(&knowing);
  uint64_t size = known[number % KNOWN].number == number ? known[number % KNOWN].size : 0;
  pthread_mutex_unlock(&knowing);
  return size;
}

static void reply(uint64_t unique, int error, const void *bytes, size_t length) {
  struct fuse_out_header header = {.len = (uint32_t)(sizeof header + length), .error = -error, .unique = unique};
  struct iovec parts[] = {{&header, sizeof header}, {(void *)bytes, length}};
  // ENOENT: the asker was interrupted and has gone; nobody else is told of anything.
  (void)!writev(device, parts, length == 0 ? 1 : 2);
}

static uint64_t number_of(const char *name) {
  char digits[NUMBER_DIGITS + 1] = {0};
  size_t hex = 0;
  if (strlen(name) != NAME_LENGTH || strncmp(name, "sha256-", DIGEST_AT) != 0) {
    return 0;
  }
  while (isxdigit((unsigned char)name[DIGEST_AT + hex])) {
    hex++;
  }
  memcpy(digits, name + DIGEST_AT, NUMBER_DIGITS);
  return hex == NAME_LENGTH - DIGEST_AT ? strtoull(digits, NULL, 16) | 1ULL << 62 : 0;
}

static void name_of(uint64_t number, char *start, size_t room) {
  snprintf(start, room, "sha256-%015llx", (unsigned long long)(number & ~(1ULL << 62)));
}

static struct fuse_attr file_facts(uint64_t number, uint64_t size) {
  return (struct fuse_attr){
      .ino = number, .size = size, .blocks = size / 512, .mode = S_IFREG | 0400, .nlink = 1, .blksize = PARTS_BLOCK};
}

static void look_up(const struct fuse_in_header *asked, const char *name) {
  uint64_t number = number_of(name);
  struct parts *parts = number == 0 ? NULL : parts_open(directory, name);
  if (parts == NULL) {
    reply(asked->unique, number == 0 ? ENOENT : errno, NULL, 0);
    return;
  }
  keep_size(number, parts->size);
  struct fuse_entry_out entry = {
      .nodeid = number, .attr_valid = CACHED_SECONDS, .attr = file_facts(number, parts->size)};
  parts_close(parts);
  reply(asked->unique, 0, &entry, sizeof entry);
}

static void tell_facts(const struct fuse_in_header *asked) {
  uint64_t number = asked->nodeid;
  struct fuse_attr_out facts = {.attr_valid = CACHED_SECONDS};
  if (number == FUSE_ROOT_ID) {
    facts.attr = (struct fuse_attr){.ino = number, .mode = S_IFDIR | 0500, .nlink = 2};
  } else if (kept_size(number) != 0) {
    facts.attr = file_facts(number, kept_size(number));
  } else {
    reply(asked->unique, ESTALE, NULL, 0);
    return;
  }
  reply(asked->unique, 0, &facts, sizeof facts);
}

/// The whole name of a file of which the number is the beginning.
static int find_name(uint64_t number, char name[static NAME_LENGTH + 1]) {
  char start[NAME_LENGTH + 1];
  name_of(number, start, sizeof start);
  int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  char entries[16384];
  long count;
  while (own >= 0 && (count = syscall(SYS_getdents64, own, entries, sizeof entries)) > 0) {
    for (long at = 0; at < count; at += *(unsigned short *)(void *)(entries + at + 16)) {
      const char *entry = entries + at + 19;
      if (strncmp(entry, start, strlen(start)) == 0 && strcmp(entry + NAME_LENGTH, ".map") == 0) {
        memcpy(name, entry, NAME_LENGTH);
        name[NAME_LENGTH] = 0;
        close(own);
        return 0;
      }
    }
  }
  if (own >= 0) {
    close(own);
  }
  errno = ESTALE;
  return -1;
}

static void open_file(const struct fuse_in_header *asked) {
  char name[NAME_LENGTH + 1];
  struct parts *parts = find_name(asked->nodeid, name) != 0 ? NULL : parts_open(directory, name);
  if (parts == NULL) {
    reply(asked->unique, errno, NULL, 0);
    return;
  }
  demand_hold(parts);
  struct fuse_open_out opened = {.fh = (uint64_t)(uintptr_t)parts, .open_flags = FOPEN_KEEP_CACHE};
  reply(asked->unique, 0, &opened, sizeof opened);
}

static void read_file_part(const struct fuse_in_header *asked, const struct fuse_read_in *wanted) {
  struct parts *parts = (struct parts *)(uintptr_t)wanted->fh;
  uint64_t left = wanted->offset >= parts->size ? 0 : parts->size - wanted->offset;
  size_t length = wanted->size < left ? wanted->size : (size_t)left;
  if (length == 0) {
    reply(asked->unique, 0, NULL, 0);
  } else {
    demand_read(parts, asked->unique, wanted->offset, length);
  }
}

static void close_file(const struct fuse_in_header *asked, const struct fuse_release_in *wanted) {
  demand_release((struct parts *)(uintptr_t)wanted->fh);
  reply(asked->unique, 0, NULL, 0);
}

static void begin(const struct fuse_in_header *asked, const struct fuse_init_in *offered) {
  struct fuse_init_out taken = {
      .major = FUSE_KERNEL_VERSION,
      .minor = FUSE_KERNEL_MINOR_VERSION,
      .max_readahead = offered->max_readahead < READ_MOST ? offered->max_readahead : READ_MOST,
      .flags = offered->flags & (FUSE_ASYNC_READ | FUSE_PARALLEL_DIROPS | FUSE_MAX_PAGES),
      .max_background = 64,
      .congestion_threshold = 48,
      .max_write = 4096,
      .time_gran = 1,
      .max_pages = READ_MOST / PARTS_BLOCK,
  };
  reply(asked->unique, 0, &taken, sizeof taken);
}

static void handle(const char *request) {
  const struct fuse_in_header *asked = (const void *)request;
  const void *fields = request + sizeof *asked;
  switch (asked->opcode) {
  case FUSE_INIT: begin(asked, fields); break;
  case FUSE_LOOKUP: look_up(asked, fields); break;
  case FUSE_GETATTR: tell_facts(asked); break;
  case FUSE_OPEN: open_file(asked); break;
  case FUSE_READ: read_file_part(asked, fields); break;
  case FUSE_RELEASE: close_file(asked, fields); break;
  case FUSE_FORGET:
  case FUSE_BATCH_FORGET:
  case FUSE_INTERRUPT: break;
  default: reply(asked->unique, ENOSYS, NULL, 0);
  }
}

/// Serves until the file system is gone.
static void *serve_requests(void *unused) {
  static _Thread_local _Alignas(16) char request[REQUEST_ROOM];
  for (;;) {
    ssize_t count = read(device, request, sizeof request - 1);
    if (count < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT) {
      _exit(errno == ENODEV ? 0 : 1);
    }
    if (count >= (ssize_t)sizeof(struct fuse_in_header)) {
      request[count] = 0;
      handle(request);
    }
  }
  return unused;
}

/// Keeps the two descriptors only: one of the file system itself would keep that, and so us, alive.
static void run(int fuse, int parts) {
  char score[] = "-900";
  pthread_t thread;
  int null = open("/dev/null", O_RDWR);
  device = fcntl(fuse, F_DUPFD_CLOEXEC, KEPT);
  directory = fcntl(parts, F_DUPFD_CLOEXEC, device + 1);
  dup2(null, 0);
  dup2(null, 1);
  dup2(null, 2);
  syscall(SYS_close_range, 3, device - 1, 0);
  syscall(SYS_close_range, directory + 1, ~0U, 0);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_NAME, "sandgate-parts");
  (void)!write_file(AT_FDCWD, "/proc/self/oom_score_adj", score);
  if (chdir("/") != 0 || demand_start(reply) != 0) {
    _exit(1);
  }
  for (int i = 1; i < READERS; i++) {
    if (pthread_create(&thread, NULL, serve_requests, NULL) != 0) {
      _exit(1);
    }
  }
  serve_requests(NULL);
}

static int mount_served(int fuse, struct fault *fault) {
  char number[16];
  snprintf(number, sizeof number, "%d", fuse);
  int context = filesystem_open("fuse");
  bool set = context >= 0 && filesystem_string(context, "fd", number) == 0 &&
             filesystem_string(context, "rootmode", "40000") == 0 && filesystem_string(context, "user_id", "0") == 0 &&
             filesystem_string(context, "group_id", "0") == 0 && filesystem_flag(context, "allow_other") == 0;
  int mount = set ? filesystem_mount(context, MOUNT_READ_ONLY | MOUNT_NO_SUID | MOUNT_NO_DEV | MOUNT_NO_EXEC) : -1;
  if (mount < 0) {
    fail(fault, STEP_START, "mount the images that are partly here");
  }
  if (context >= 0) {
    close(context);
  }
  return mount;
}

int fuse_start(const char *state, struct fault *fault) {
  char path[4096];
  snprintf(path, sizeof path, "%s/parts", state);
  int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fuse < 0 || (mkdir(path, 0700) != 0 && errno != EEXIST)) {
    return fail(fault, STEP_START, "%s", fuse < 0 ? "open /dev/fuse" : "make the directory of parts");
  }
  int parts = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int mount = parts < 0 ? fail(fault, STEP_START, "open the directory of parts") : mount_served(fuse, fault);
  pid_t pid = mount < 0 ? -1 : fork();
  if (pid == 0) {
    run(fuse, parts);
  }
  if (mount >= 0 && pid < 0) {
    fail(fault, STEP_START, "start the process that serves parts");
    close(mount);
    mount = -1;
  }
  close(fuse);
  if (parts >= 0) {
    close(parts);
  }
  return mount;
}
