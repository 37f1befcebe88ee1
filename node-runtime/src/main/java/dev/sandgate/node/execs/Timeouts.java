// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Time limits of running commands, on a monotonic clock: a timer for each, and a look over all of them for what a timer
 * missed. One timer thread for all commands; what it runs never blocks.
 */
final class Timeouts {

  private final LongSupplier nanoClock;
  private final ScheduledThreadPoolExecutor timer;
  private final Set<Limit> limits = ConcurrentHashMap.newKeySet();

  Timeouts(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("sandgate-timeouts").daemon().factory());
    timer.setRemoveOnCancelPolicy(true);
  }

  ScheduledFuture<?> after(long millis, Runnable action) {
    return timer.schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Runs an action when a time is over, and again with each sweep from then on, until it is told that the limit is void.
   *
   * @return makes the limit void
   */
  Runnable limit(long millis, Runnable action) {
    Limit limit = new Limit(nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis), action);
    limits.add(limit);
    ScheduledFuture<?> timed = after(millis, action);
    return () -> {
      limits.remove(limit);
      timed.cancel(false);
    };
  }

  /** Runs what is due; called about once a second. */
  void sweep() {
    long now = nanoClock.getAsLong();
    for (Limit limit : limits) {
      if (now - limit.atNanos >= 0) {
        limit.action.run();
      }
    }
  }

  void close() {
    timer.shutdownNow();
  }

  /** A point in time and what happens then; one is never another. */
  private static final class Limit {
    final long atNanos;
    final Runnable action;

    Limit(long atNanos, Runnable action) {
      this.atNanos = atNanos;
      this.action = action;
    }
  }
}
