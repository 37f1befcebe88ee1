// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.ramp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.load.measure.Findings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StepTest {

  private static final String REFUSAL = "memory: node.memory-reserve-bytes";

  private static Tally.Seen seen(int succeeded, int failed) {
    Tally tally = new Tally();
    long now = System.nanoTime();
    for (int i = 0; i < succeeded; i++) {
      tally.commanded(now);
    }
    for (int i = 0; i < failed; i++) {
      tally.failed("command", new IllegalStateException("it broke"));
    }
    return tally.look();
  }

  private static Step step(Tally.Seen seen, double cpuShare, String refusing) {
    return new Step(10, 2, seen, cpuShare, 2 * cpuShare, 1L << 30, refusing);
  }

  @Test
  void shouldFailWhenOneInAHundredFails() {
    assertTrue(step(seen(99, 1), 0.5, "").failed());
    assertFalse(step(seen(100, 1), 0.5, "").failed());
    assertFalse(step(seen(0, 0), 0.5, "").failed());
    assertEquals(50, step(seen(100, 7), 0.5, "").perSecond());
  }

  @Test
  void shouldNameWhatRanOut() {
    assertEquals(REFUSAL, step(seen(9, 1), 0.99, REFUSAL).shortOf());
    assertTrue(step(seen(9, 1), 0.95, "").shortOf().startsWith("CPU: 95 %"));
    assertTrue(step(seen(9, 1), 0.5, "").shortOf().endsWith("command: it broke"));
  }

  @Test
  void shouldCountAnewAfterEachLook() {
    Tally tally = new Tally();
    tally.created(System.nanoTime() - Duration.ofMillis(5).toNanos());
    tally.failed("create", new IllegalStateException("no"));
    Tally.Seen first = tally.look();
    assertEquals(1, first.succeeded());
    assertEquals(1, first.failed());
    assertTrue(first.creates().getMaxValue() >= 5_000);
    tally.failed("create", new IllegalStateException("no"));
    assertEquals(0, tally.look().succeeded());
    assertEquals(0, tally.look().failed());
  }

  @Test
  void shouldTakeTheLeastOfWhatMemoryCpuAndCreatesAllow() {
    Findings findings = new Findings("ramp");
    HostUse before = new HostUse(0, 0, 3L << 30);
    Capacity.report(before, 1L << 30, step(seen(100, 0), 0.5, ""), 5, findings);
    Map<String, Double> figures = findings.report().figures();
    assertEquals((2L << 30) / 10.0, figures.getOrDefault("memory_of_a_session_bytes", 0.0), 1);
    assertEquals(10, figures.getOrDefault("sessions_by_memory", 0.0), 0.1);
    double cpus = Runtime.getRuntime().availableProcessors();
    assertEquals(cpus / 0.05, figures.getOrDefault("sessions_by_cpu", 0.0), 0.1);
    assertEquals(5 * 20, figures.getOrDefault("sessions_by_creates", 0.0), 0.1);
    assertEquals(10, figures.getOrDefault("sessions_by_formula", 0.0), 0.1);
  }
}
