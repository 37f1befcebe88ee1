// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>
#include <stddef.h>

/// What the filter does with one system call. Everything that is not listed is refused with EPERM, and with ENOSYS
/// above the last number that was known when the table was written, so that programs fall back.
enum verdict {
  REFUSE = 0,
  ALLOW,
  MISSING,      ///< ENOSYS: programs have a fallback
  PRETEND,      ///< does nothing and succeeds
  CHECK_CLONE,  ///< no new namespaces
  CHECK_SOCKET, ///< the families and protocols below
  CHECK_IOCTL,  ///< no terminal injection, no block swapping between files
  CHECK_PERSONALITY,
  CHECK_PRCTL,
};

struct rule {
  unsigned short number;
  unsigned char verdict;
};

/// The table: every system call that is not refused, in any order.
extern const struct rule seccomp_rules[];
extern const size_t seccomp_rule_count;

enum { LAST_KNOWN_CALL = 469 };

/// Builds the program once; later calls return the same.
const struct sock_fprog *seccomp_program(void);

/// Installs the program on this process; -1 and errno. no_new_privs must be set.
int seccomp_install(void);
