// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.trajectory;

import java.util.concurrent.atomic.AtomicLong;

/** Microseconds since the epoch, made unique: later is larger, also when the clock goes back and after a restart. */
public final class Sequence {

  private final AtomicLong last;

  Sequence(long last) {
    this.last = new AtomicLong(last);
  }

  /** The next one. */
  public long next() {
    long now = System.currentTimeMillis() * 1_000;
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }
}
