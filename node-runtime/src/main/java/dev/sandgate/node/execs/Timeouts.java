// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
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
   * @param stoodStill nanoseconds that do not count, of which those until now are left out
   * @return makes the limit void
   */
  Runnable limit(long millis, LongSupplier stoodStill, Runnable action) {
    long allowed = TimeUnit.MILLISECONDS.toNanos(millis) - stoodStill.getAsLong();
    Limit limit = new Limit(nanoClock.getAsLong() + allowed, stoodStill, action);
    limits.add(limit);
    limit.timed = after(millis, () -> due(limit));
    return () -> {
      limits.remove(limit);
      limit.timed.cancel(false);
    };
  }

  private void due(Limit limit) {
    long left = limit.left(nanoClock.getAsLong());
    if (left <= 0) {
      limit.action.run();
    } else if (limits.contains(limit)) {
      limit.timed = after(TimeUnit.NANOSECONDS.toMillis(left) + 1, () -> due(limit));
    }
  }

  /** Runs what is due; called about once a second. */
  void sweep() {
    long now = nanoClock.getAsLong();
    for (Limit limit : limits) {
      if (limit.left(now) <= 0) {
        limit.action.run();
      }
    }
  }

  void close() {
    timer.shutdownNow();
  }

  /** A point in time that moves away while something stands still, and what happens then; one is never another. */
  private static final class Limit {
    final long atNanos;
    final LongSupplier stoodStill;
    final Runnable action;
    volatile Future<?> timed = CompletableFuture.completedFuture(null);

    Limit(long atNanos, LongSupplier stoodStill, Runnable action) {
      this.atNanos = atNanos;
      this.stoodStill = stoodStill;
      this.action = action;
    }

    long left(long now) {
      return atNanos + stoodStill.getAsLong() - now;
    }
  }
}
