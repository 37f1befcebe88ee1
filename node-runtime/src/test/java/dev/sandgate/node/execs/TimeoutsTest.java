// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the look over all commands' time limits does by itself: the timers wait for hours that only the clock has seen. */
class TimeoutsTest {

  private static final long HOUR = 3_600_000;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final List<String> due = new ArrayList<>();
  private final Timeouts timeouts = new Timeouts(nanos::get);

  @AfterEach
  void end() {
    timeouts.close();
  }

  private void pass(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    timeouts.sweep();
  }

  @Test
  void shouldFindWhatALostTimerMissedUntilItIsVoid() {
    Runnable first = timeouts.limit(HOUR, () -> 0L, () -> due.add("first"));
    timeouts.limit(2 * HOUR, () -> 0L, () -> due.add("second"));
    Runnable ended = timeouts.limit(HOUR, () -> 0L, () -> due.add("ended"));
    pass(HOUR - 1);
    assertEquals(List.of(), due);
    ended.run();
    pass(1);
    assertEquals(List.of("first"), due);
    pass(1_000);
    assertEquals(List.of("first", "first"), due);
    first.run();
    pass(HOUR);
    assertEquals(List.of("first", "first", "second"), due);
  }
}
