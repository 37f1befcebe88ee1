// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** How many bytes all spool files together may have; when they have them, the oldest ended records give theirs up. */
final class DiskBudget {

  private final long limit;
  private final BooleanSupplier evict;
  private final AtomicLong used = new AtomicLong();

  /**
   * Nothing used.
   *
   * @param evict deletes the files of one ended record, the oldest that has some; false when none has
   */
  DiskBudget(long limit, BooleanSupplier evict) {
    this.limit = limit;
    this.evict = evict;
  }

  /** Takes a part, or fails when nothing is left that could be given up for it. */
  void take(long bytes) throws IOException {
    used.addAndGet(bytes);
    while (used.get() > limit) {
      if (!evict.getAsBoolean()) {
        used.addAndGet(-bytes);
        throw new IOException("the spool files have all " + limit + " bytes that they may have");
      }
    }
  }

  void give(long bytes) {
    used.addAndGet(-bytes);
  }

  /** How much is taken. */
  long used() {
    return used.get();
  }
}
