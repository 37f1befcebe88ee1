// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

/**
 * When the next one may be made: not while work is in hand, nor just after it, when the first command of what was made
 * runs, but it gives way for a short while only; and not at once after a failure. Guarded by the pool's lock.
 */
final class Pace {

  private static final long GIVE_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long FIRST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Condition changed;
  private int inHand;
  private long endedNanos = System.nanoTime() - QUIET_NANOS;
  private long restNanos;

  Pace(Condition changed) {
    this.changed = changed;
  }

  void begun() {
    inHand++;
  }

  void ended() {
    inHand--;
    endedNanos = System.nanoTime();
    changed.signalAll();
  }

  void made() {
    restNanos = 0;
  }

  void failed() {
    restNanos = Math.clamp(2 * restNanos, FIRST_REST_NANOS, LONGEST_REST_NANOS);
  }

  /** Waits for the moment; nothing is waited for when all is over, no work is given way to when somebody waits. */
  void await(BooleanSupplier over, BooleanSupplier urgent) {
    try {
      for (long left = restNanos; left > 0 && !over.getAsBoolean(); ) {
        left = changed.awaitNanos(left);
      }
      giveWay(() -> over.getAsBoolean() || urgent.getAsBoolean());
    } catch (InterruptedException e) {
      throw new IllegalStateException("threads that fill a pool are never interrupted", e);
    }
  }

  private void giveWay(BooleanSupplier urgent) throws InterruptedException {
    long latest = System.nanoTime() + GIVE_WAY_NANOS;
    while (!urgent.getAsBoolean()) {
      long now = System.nanoTime();
      long left = inHand > 0 ? latest - now : Math.min(latest, endedNanos + QUIET_NANOS) - now;
      if (left <= 0) {
        return;
      }
      long _ = changed.awaitNanos(left);
    }
  }
}
