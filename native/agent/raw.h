// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// System calls that leave errno alone: for a child that shares the guest's memory until it becomes the command. Each gives
// the kernel's answer, a negative errno for a failure.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long raw_call(long number, long a, long b, long c, long d, long e) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
#else
#error "no system call sequence for this processor"
#endif
}

#define RAW(number, a, b, c, d, e) raw_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

static inline long raw_openat(int directory, const char *path, int flags, int mode) {
  return RAW(SYS_openat, directory, path, flags, mode, 0);
}
static inline long raw_close(int fd) { return RAW(SYS_close, fd, 0, 0, 0, 0); }
static inline long raw_read(int fd, void *to, size_t size) { return RAW(SYS_read, fd, to, size, 0, 0); }
static inline long raw_write(int fd, const void *from, size_t size) { return RAW(SYS_write, fd, from, size, 0, 0); }
static inline long raw_dup3(int fd, int to, int flags) { return RAW(SYS_dup3, fd, to, flags, 0, 0); }
static inline long raw_ioctl(int fd, unsigned long request, const void *argument) { return RAW(SYS_ioctl, fd, request, argument, 0, 0); }
