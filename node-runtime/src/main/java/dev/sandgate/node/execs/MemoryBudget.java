// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import java.util.concurrent.atomic.AtomicLong;

/** How much output all records together may hold in memory; the rest goes to files. */
final class MemoryBudget {

  private final long limit;
  private final AtomicLong used = new AtomicLong();

  MemoryBudget(long limit) {
    this.limit = limit;
  }

  boolean take(long bytes) {
    if (used.addAndGet(bytes) > limit) {
      used.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  void give(long bytes) {
    used.addAndGet(-bytes);
  }
}
