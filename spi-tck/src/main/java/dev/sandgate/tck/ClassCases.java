// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sandboxes that rank before others, when {@link Capability#CLASSES} is declared. */
interface ClassCases {

  /** How often more CPU time a latency-sensitive sandbox must get, when both want all of it. */
  int AT_LEAST_TIMES = 5;

  /** A busy machine gives all of them little. */
  Duration PATIENCE = Duration.ofSeconds(60);

  Fixture fixture();

  private Sandbox ranked(QosClass qosClass) {
    fixture().assumeHas(Capability.CLASSES);
    SandboxSpec spec = fixture().newSpec();
    int cpus = Runtime.getRuntime().availableProcessors();
    ResourceLimits everyCpu = new ResourceLimits(1000 * cpus, 0, 0, 0, 0);
    return fixture()
        .fresh(
            new SandboxSpec(
                spec.id(),
                spec.layers(),
                fixture().has(Capability.LIMITS) ? everyCpu : spec.limits(),
                qosClass,
                spec.user(),
                spec.env(),
                spec.hostname(),
                spec.labels()));
  }

  private static Duration used(Sandbox sandbox) {
    return Waiting.on(sandbox.usage()).cpu();
  }

  private static Duration awaitMillis(Sandbox sandbox, Duration since, long millis) {
    return Eventually.value(
        "it gets CPU time",
        PATIENCE,
        () -> used(sandbox).minus(since),
        got -> got.toMillis() >= millis);
  }

  private static Running spin(Sandbox sandbox) {
    int loops = 2 * Runtime.getRuntime().availableProcessors();
    Duration before = used(sandbox);
    Running spinning =
        Fixture.start(
            sandbox,
            Command.sh(
                "i=0; while [ $i -lt %d ]; do while :; do :; done & i=$((i+1)); done; wait"
                    .formatted(loops)));
    awaitMillis(sandbox, before, 100);
    return spinning;
  }

  @Test
  default void shouldGiveBestEffortWhatLatencySensitiveSandboxesLeave() {
    Sandbox bestEffort = ranked(QosClass.BEST_EFFORT);
    Sandbox sensitive = ranked(QosClass.LATENCY_SENSITIVE);
    Running low = spin(bestEffort);
    Running high = spin(sensitive);
    Duration lowBefore = used(bestEffort);
    Duration highBefore = used(sensitive);
    Duration highGot = awaitMillis(sensitive, highBefore, 1_000);
    Duration lowGot = used(bestEffort).minus(lowBefore);
    high.kill();
    assertTrue(
        lowGot.multipliedBy(AT_LEAST_TIMES).compareTo(highGot) < 0,
        () -> "best effort got " + lowGot + ", latency-sensitive " + highGot);
    awaitMillis(bestEffort, used(bestEffort), 100);
    low.kill();
    assertEquals("fine", Fixture.run(bestEffort, Command.of("echo", "fine")).line());
  }
}
