// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#include "seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Turns the table into a program: numbers with the same verdict become one segment, and the segments a binary tree of
// comparisons whose leaves answer at once or look at the arguments.

enum { X32_BIT = 0x40000000, PROGRAM_ROOM = 1024, SEGMENT_ROOM = 512 };
enum { VERDICT_KILL = 100 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE_WITH(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define IF_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define IF_ANY_BIT(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, then, otherwise)
#define ALLOWED ANSWER(SECCOMP_RET_ALLOW)

enum {
  NEW_NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
      (int)CLONE_NEWNET,
  NETLINK_ROUTE_PROTOCOL = 0,
  OLD_PACKET_SOCKET = 10,
  SOCKET_TYPE_BITS = 0xf,
  PROTOCOL_ICMP = 1,
  PROTOCOL_TCP = 6,
  PROTOCOL_UDP = 17,
  PROTOCOL_ICMPV6 = 58,
  OPTION_SCHED_CORE = 62,
  TYPE_XFS = 'X',
  TYPE_EXT4 = 'f',
  TYPE_BTRFS = 0x94,
  TYPE_F2FS = 0xf5,
  PERSONALITY_32 = 0x0008,
  PERSONALITY_UNAME26 = 0x0020000,
  PERSONALITY_NO_RANDOMIZE = 0x0040000,
};

static const struct sock_filter check_clone[] = {
    LOAD(args[0]),
    IF_ANY_BIT(NEW_NAMESPACES, 0, 1),
    REFUSE_WITH(EPERM),
    ALLOWED,
};

static const struct sock_filter check_socket[] = {
    LOAD(args[0]),
    IF_EQUAL(AF_UNIX, 16, 0),
    IF_EQUAL(AF_INET, 5, 0),
    IF_EQUAL(AF_INET6, 4, 0),
    IF_EQUAL(AF_NETLINK, 1, 0),
    REFUSE_WITH(EAFNOSUPPORT),
    LOAD(args[2]),
    IF_EQUAL(NETLINK_ROUTE_PROTOCOL, 10, 9),
    LOAD(args[1]),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE_BITS),
    IF_EQUAL(OLD_PACKET_SOCKET, 6, 0),
    LOAD(args[2]),
    IF_EQUAL(0, 5, 0),
    IF_EQUAL(PROTOCOL_ICMP, 4, 0),
    IF_EQUAL(PROTOCOL_TCP, 3, 0),
    IF_EQUAL(PROTOCOL_UDP, 2, 0),
    IF_EQUAL(PROTOCOL_ICMPV6, 1, 0),
    REFUSE_WITH(EPROTONOSUPPORT),
    ALLOWED,
};

static const struct sock_filter check_ioctl[] = {
    LOAD(args[1]),
    IF_EQUAL(FS_IOC_GETFLAGS, 17, 0),
    IF_EQUAL(FS_IOC_SETFLAGS, 16, 0),
    IF_EQUAL(FS_IOC_FIEMAP, 15, 0),
    IF_EQUAL(FS_IOC_FSGETXATTR, 14, 0),
    IF_EQUAL(FICLONE, 13, 0),
    IF_EQUAL(FICLONERANGE, 12, 0),
    IF_EQUAL(FIDEDUPERANGE, 11, 0),
    IF_EQUAL(TIOCSTI, 9, 0),
    IF_EQUAL(TIOCLINUX, 8, 0),
    IF_EQUAL(TIOCSETD, 7, 0),
    IF_EQUAL(TIOCCONS, 6, 0),
    BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 8),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff),
    IF_EQUAL(TYPE_XFS, 3, 0),
    IF_EQUAL(TYPE_EXT4, 2, 0),
    IF_EQUAL(TYPE_BTRFS, 1, 0),
    IF_EQUAL(TYPE_F2FS, 0, 1),
    REFUSE_WITH(EPERM),
    ALLOWED,
};

static const struct sock_filter check_personality[] = {
    LOAD(args[0]),
    IF_EQUAL(0, 6, 0),
    IF_EQUAL(PERSONALITY_32, 5, 0),
    IF_EQUAL(PERSONALITY_UNAME26, 4, 0),
    IF_EQUAL(PERSONALITY_UNAME26 | PERSONALITY_32, 3, 0),
    IF_EQUAL(PERSONALITY_NO_RANDOMIZE, 2, 0),
    IF_EQUAL(0xffffffff, 1, 0),
    REFUSE_WITH(EPERM),
    ALLOWED,
};

static const struct sock_filter check_prctl[] = {
    LOAD(args[0]),
    IF_EQUAL(OPTION_SCHED_CORE, 0, 1),
    REFUSE_WITH(EPERM),
    ALLOWED,
};

struct segment {
  uint32_t from;
  int verdict;
};

static struct sock_filter code[PROGRAM_ROOM];
static struct sock_fprog program = {.len = 0, .filter = code};

static void emit(const struct sock_filter *instructions, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (program.len == PROGRAM_ROOM) {
      abort();
    }
    code[program.len++] = instructions[i];
  }
}

#define EMIT_ALL(array) emit(array, sizeof(array) / sizeof *(array))
#define EMIT_ONE(instruction) emit(&(const struct sock_filter)instruction, 1)

static void emit_answer(uint32_t answer) {
  EMIT_ONE(ANSWER(answer));
}

static void emit_leaf(int verdict) {
  switch (verdict) {
  case ALLOW: emit_answer(SECCOMP_RET_ALLOW); break;
  case MISSING: emit_answer(SECCOMP_RET_ERRNO | ENOSYS); break;
  case PRETEND: emit_answer(SECCOMP_RET_ERRNO); break;
  case CHECK_CLONE: EMIT_ALL(check_clone); break;
  case CHECK_SOCKET: EMIT_ALL(check_socket); break;
  case CHECK_IOCTL: EMIT_ALL(check_ioctl); break;
  case CHECK_PERSONALITY: EMIT_ALL(check_personality); break;
  case CHECK_PRCTL: EMIT_ALL(check_prctl); break;
  case VERDICT_KILL: emit_answer(SECCOMP_RET_KILL_PROCESS); break;
  default: emit_answer(SECCOMP_RET_ERRNO | EPERM);
  }
}

static void emit_tree(const struct segment *segments, size_t count) {
  if (count == 1) {
    emit_leaf(segments->verdict);
    return;
  }
  size_t half = count / 2;
  size_t jump = program.len;
  EMIT_ONE(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, segments[half].from, 0, 0));
  emit_tree(segments, half);
  size_t distance = program.len - jump - 1;
  if (distance > UINT8_MAX) {
    abort();
  }
  code[jump].jt = (uint8_t)distance;
  emit_tree(segments + half, count - half);
}

static size_t make_segments(struct segment *segments) {
  unsigned char verdicts[LAST_KNOWN_CALL + 1] = {0};
  for (size_t i = 0; i < seccomp_rule_count; i++) {
    verdicts[seccomp_rules[i].number] = seccomp_rules[i].verdict;
  }
  size_t count = 0;
  for (uint32_t i = 0; i <= LAST_KNOWN_CALL; i++) {
    if (i == 0 || verdicts[i] != verdicts[i - 1]) {
      segments[count++] = (struct segment){i, verdicts[i]};
    }
  }
  segments[count++] = (struct segment){LAST_KNOWN_CALL + 1, MISSING};
  segments[count++] = (struct segment){X32_BIT, VERDICT_KILL};
  segments[count++] = (struct segment){UINT32_MAX, MISSING};
  return count;
}

const struct sock_fprog *seccomp_program(void) {
  if (program.len == 0) {
    struct segment segments[SEGMENT_ROOM];
    size_t count = make_segments(segments);
    EMIT_ONE(LOAD(arch));
    EMIT_ONE(IF_EQUAL(AUDIT_ARCH_X86_64, 1, 0));
    emit_answer(SECCOMP_RET_KILL_PROCESS);
    EMIT_ONE(LOAD(nr));
    emit_tree(segments, count);
  }
  return &program;
}

int seccomp_install(void) {
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, seccomp_program());
}
