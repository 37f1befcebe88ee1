// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.proto.v1.Sandbox;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How long a sandbox has stood still, on a monotonic clock. Safe for any thread. */
final class Pauses {

  private static final long NOT_NOW = Long.MIN_VALUE;

  private final LongSupplier nanoClock;
  private long earlier;
  private long since;

  private Pauses(LongSupplier nanoClock, long earlier, long since) {
    this.nanoClock = nanoClock;
    this.earlier = earlier;
    this.since = since;
  }

  /** What a record tells of them; one that it tells of goes on. */
  static Pauses of(Sandbox record, long wallMillis, LongSupplier nanoClock) {
    long earlier = TimeUnit.MILLISECONDS.toNanos(record.getPausedMillis());
    if (!record.hasPausedAt()) {
      return new Pauses(nanoClock, earlier, NOT_NOW);
    }
    long passed = Math.max(0, wallMillis - Times.millis(record.getPausedAt()));
    long since = nanoClock.getAsLong() - TimeUnit.MILLISECONDS.toNanos(passed);
    return new Pauses(nanoClock, earlier, since);
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
