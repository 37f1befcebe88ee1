// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.node.sandboxes.TimeLimits.Limit;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time limits on a clock that the test moves. */
class TimeLimitsTest {

  private static final long WALL = 1_000_000;

  private long nanos = Long.MAX_VALUE - 5;

  private void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private TimeLimits limits(long session, long lease, long idle) {
    Sandbox.Builder record =
        Sandbox.newBuilder().setSpec(SandboxSpec.newBuilder().setIdleTimeoutMillis(idle));
    if (session > 0) {
      record.setExpiresAt(Times.timestamp(WALL + session));
    }
    if (lease > 0) {
      record.setLeaseUntil(Times.timestamp(WALL + lease));
    }
    return TimeLimits.of(record.build(), WALL, () -> nanos);
  }

  @Test
  void shouldPassAtTheEarliestLimitAlsoWhenTheClockOverflows() {
    TimeLimits limits = limits(300, 200, 100);
    limits.used();
    pass(199);
    assertEquals(Optional.empty(), limits.passed());
    pass(1);
    assertEquals(Optional.of(Limit.LEASE), limits.passed());
    limits.renew(1_000);
    assertEquals(Optional.empty(), limits.passed());
    pass(100);
    assertEquals(Optional.of(Limit.SESSION), limits.passed());
  }

  @Test
  void shouldCountIdleTimeFromTheLastUse() {
    TimeLimits limits = limits(0, 0, 100);
    pass(99);
    limits.used();
    pass(500);
    assertEquals(Optional.empty(), limits.passed());
    limits.used();
    limits.unused();
    pass(500);
    assertEquals(Optional.empty(), limits.passed());
    limits.unused();
    assertEquals(TimeUnit.MILLISECONDS.toNanos(100), limits.nanosLeft());
    pass(99);
    assertEquals(Optional.empty(), limits.passed());
    pass(1);
    assertEquals(Optional.of(Limit.IDLE_TTL), limits.passed());
  }

  @Test
  void shouldNeverPassWithoutALimit() {
    TimeLimits limits = limits(0, 0, 0);
    pass(TimeUnit.DAYS.toMillis(100));
    assertEquals(Optional.empty(), limits.passed());
  }

  @Test
  void shouldKnowWhatIsOverWhenTheNodeComesBack() {
    Sandbox late = Sandbox.newBuilder().setLeaseUntil(Times.timestamp(WALL - 1)).build();
    assertEquals(Optional.of(Limit.LEASE), TimeLimits.of(late, WALL, () -> nanos).passed());
  }
}
