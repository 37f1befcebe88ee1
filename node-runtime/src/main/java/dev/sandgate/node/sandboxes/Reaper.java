// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.sandboxes.TimeLimits.Limit;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sandboxes at their time limits and lets those rest that nobody uses: a timer for each, and a look over all of them for what
 * a timer missed.
 */
final class Reaper {

  private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MOST_NANOS = TimeUnit.HOURS.toNanos(1);

  private final BiConsumer<LiveSandbox, Limit> ending;
  private final Consumer<LiveSandbox> resting;
  private final ScheduledThreadPoolExecutor timer;

  /**
   * Watches nothing yet.
   *
   * @param ending ends a sandbox in the background; told again as long as it has not begun to
   * @param resting pauses one in the background, if it is still unused
   */
  Reaper(BiConsumer<LiveSandbox, Limit> ending, Consumer<LiveSandbox> resting) {
    this.ending = ending;
    this.resting = resting;
    timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("sandgate-time-limits").daemon().factory());
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Ends it when its time comes, unless it ends before. */
  void watch(LiveSandbox live) {
    Watch watch = new Watch(live);
    watch.arm();
    var _ = live.removed().thenRun(watch::cancel);
  }

  /** Ends it if its time has come. */
  void check(LiveSandbox live) {
    if (!live.endable()) {
      return;
    }
    Optional<Limit> passed = live.limits().passed();
    if (passed.isPresent()) {
      Limit limit = passed.get();
      LOG.info("sandbox {} ends: {}, {}", live.id(), limit, limit.detail());
      ending.accept(live, limit);
    } else if (live.limits().restIsDue()) {
      resting.accept(live);
    }
  }

  void close() {
    timer.shutdownNow();
  }

  private final class Watch {
    private final LiveSandbox live;
    private @Nullable ScheduledFuture<?> next;
    private boolean cancelled;

    Watch(LiveSandbox live) {
      this.live = live;
    }

    synchronized void arm() {
      if (!cancelled && !timer.isShutdown()) {
        long wait = Math.clamp(live.limits().nanosLeft(), LEAST_NANOS, MOST_NANOS);
        next = timer.schedule(this::due, wait, TimeUnit.NANOSECONDS);
      }
    }

    synchronized void cancel() {
      cancelled = true;
      if (next != null) {
        next.cancel(false);
      }
    }

    private void due() {
      check(live);
      if (live.endable()) {
        arm();
      }
    }
  }
}
