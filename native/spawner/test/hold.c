// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// hold instances|watches|descriptors|locks|terminals|streams|datagrams FILE MOST: takes as many of one kind as it gets, at
// most so many, writes into FILE how many these were and which error came next, and keeps them until it is killed.

static int take_instance(long number) {
  (void)number;
  return inotify_init1(IN_CLOEXEC);
}

static int take_watch(long number) {
  static int instance = -1;
  char path[32];
  instance = instance < 0 ? inotify_init1(IN_CLOEXEC) : instance;
  snprintf(path, sizeof path, "/tmp/w%ld", number);
  if (mkdir(path, 0755) != 0) {
    return -1;
  }
  return inotify_add_watch(instance, path, IN_MODIFY);
}

static int take_descriptor(long number) {
  (void)number;
  return open("/dev/null", O_RDONLY);
}

/// The lock of a device, which all have who see the same inode.
static int take_lock(long number) {
  static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
  int device = open(devices[number % 5], O_RDONLY);
  return device < 0 ? -1 : flock(device, LOCK_EX | LOCK_NB);
}

static int take_terminal(long number) {
  (void)number;
  return open("/dev/ptmx", O_RDWR | O_NOCTTY);
}

static int connected(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int most = 1 << 30;
  int door = socket(AF_INET, SOCK_STREAM, 0);
  int sender = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(door, (struct sockaddr *)&address, size) != 0 || listen(door, 1) != 0 ||
      getsockname(door, (struct sockaddr *)&address, &size) != 0 ||
      setsockopt(sender, SOL_SOCKET, SO_SNDBUF, &most, sizeof most) != 0 ||
      connect(sender, (struct sockaddr *)&address, size) != 0 || accept(door, NULL, NULL) < 0) {
    return -1;
  }
  close(door);
  return sender;
}

/// One MiB that was sent over loopback and that nobody reads; the end is when a new connection takes next to nothing.
static int take_stream(long number) {
  static char block[64 << 10];
  (void)number;
  for (long held = 0, fresh = 0; held < 16; fresh = held) {
    int sender = connected();
    while (sender >= 0 && held < 16 && send(sender, block, sizeof block, MSG_DONTWAIT) == sizeof block) {
      held++;
    }
    if (sender < 0) {
      return -1;
    }
    if (held < 16 && held - fresh < 4) {
      errno = EAGAIN; // part of a block may have been taken
      return -1;
    }
  }
  return 0;
}

/// One MiB of datagrams that nobody reads.
static int take_datagrams(long number) {
  static char block[32 << 10];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int most = 1 << 30;
  int end = socket(AF_INET, SOCK_DGRAM, 0);
  (void)number;
  if (setsockopt(end, SOL_SOCKET, SO_RCVBUF, &most, sizeof most) != 0 ||
      bind(end, (struct sockaddr *)&address, size) != 0 ||
      getsockname(end, (struct sockaddr *)&address, &size) != 0) {
    return -1;
  }
  for (int i = 0; i < 32; i++) {
    sendto(end, block, sizeof block, MSG_DONTWAIT, (struct sockaddr *)&address, size);
  }
  unsigned facts[9] = {0};
  socklen_t room = sizeof facts;
  errno = EAGAIN;
  return getsockopt(end, SOL_SOCKET, SO_MEMINFO, facts, &room) == 0 && facts[SK_MEMINFO_RMEM_ALLOC] >= 1 << 20 ? 0 : -1;
}

static void tell(const char *path, long count, int error) {
  char other[256];
  snprintf(other, sizeof other, "%s.new", path);
  FILE *file = fopen(other, "w");
  if (file == NULL || fprintf(file, "%ld %s\n", count, error == 0 ? "-" : strerrorname_np(error)) < 0 ||
      fclose(file) != 0 || rename(other, path) != 0) {
    exit(1);
  }
}

int main(int count, char **arguments) {
  int (*take)(long) = NULL;
  if (count != 4) {
    return 2;
  }
  take = strcmp(arguments[1], "instances") == 0     ? take_instance
         : strcmp(arguments[1], "watches") == 0     ? take_watch
         : strcmp(arguments[1], "descriptors") == 0 ? take_descriptor
         : strcmp(arguments[1], "locks") == 0       ? take_lock
         : strcmp(arguments[1], "terminals") == 0   ? take_terminal
         : strcmp(arguments[1], "streams") == 0     ? take_stream
         : strcmp(arguments[1], "datagrams") == 0   ? take_datagrams
                                                    : NULL;
  if (take == NULL) {
    return 2;
  }
  long taken = 0;
  long most = atol(arguments[3]);
  int spare = open("/dev/null", O_RDONLY); // to have one for the file when there are no more
  errno = 0;
  while (taken < most && take(taken) >= 0) {
    taken++;
  }
  int error = taken < most ? errno : 0;
  close(spare);
  tell(arguments[2], taken, error);
  for (;;) {
    pause();
  }
}
