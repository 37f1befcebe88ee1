// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import java.util.function.LongSupplier;

/** How long a sandbox has stood still, on a monotonic clock. Safe for any thread. */
final class Pauses {

  private static final long NOT_NOW = Long.MIN_VALUE;

  private final LongSupplier nanoClock;
  private long earlier;
  private long since = NOT_NOW;

  Pauses(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  synchronized void begin() {
    since = nanoClock.getAsLong();
  }

  /** Ends one, if there is one, and says how long it was. */
  synchronized long end() {
    long length = current();
    earlier += length;
    since = NOT_NOW;
    return length;
  }

  /** All of them, the current one so far included. */
  synchronized long nanos() {
    return earlier + current();
  }

  private long current() {
    return since == NOT_NOW ? 0 : nanoClock.getAsLong() - since;
  }
}
