// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One timer thread for all commands; what it runs never blocks. */
final class Timeouts {

  private final ScheduledThreadPoolExecutor timer;

  Timeouts() {
    timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("sandgate-timeouts").daemon().factory());
    timer.setRemoveOnCancelPolicy(true);
  }

  ScheduledFuture<?> after(long millis, Runnable action) {
    return timer.schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  void close() {
    timer.shutdownNow();
  }
}
