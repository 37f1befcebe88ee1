// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

  /** CPU time of both in the same time. */
  record Shares(Duration bestEffort, Duration sensitive) {
    boolean isRanked() {
      return bestEffort.multipliedBy(AT_LEAST_TIMES).compareTo(sensitive) < 0;
    }
  }

  private static Shares shares(Sandbox bestEffort, Sandbox sensitive) {
    Duration lowBefore = used(bestEffort);
    Duration highGot = awaitMillis(sensitive, used(sensitive), 1_000);
    return new Shares(used(bestEffort).minus(lowBefore), highGot);
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
    Eventually.value(
        "best effort gets little when the kernel has spread what spins over the CPUs",
        PATIENCE,
        () -> shares(bestEffort, sensitive),
        Shares::isRanked);
    high.kill();
    awaitMillis(bestEffort, used(bestEffort), 100);
    low.kill();
    assertEquals("fine", Fixture.run(bestEffort, Command.of("echo", "fine")).line());
  }
}
