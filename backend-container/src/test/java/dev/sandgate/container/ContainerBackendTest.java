// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Termination;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The life of one container, for real: needs root. */
final class ContainerBackendTest {

  private static ContainerFixture fixture;

  @BeforeAll
  static void open() throws Exception {
    fixture = new ContainerFixture(Map.of());
  }

  @AfterAll
  static void close() throws Exception {
    fixture.close();
  }

  @Test
  void shouldFindEverythingItNeedsOnThisHost() {
    Probe probe = fixture.backend.probe();
    probe.findings().forEach(System.out::println);
    assertTrue(probe.available(), probe.reason());
  }

  @Test
  void shouldSayWhetherCoresAreScheduled() {
    Probe.Finding found =
        fixture.backend.probe().findings().stream()
            .filter(finding -> finding.subject().equals("core scheduling"))
            .findFirst()
            .orElseThrow();
    assertFalse(found.required());
    assertTrue(
        found.available()
            ? found.detail().equals("prctl(PR_SCHED_CORE)")
            : found.detail().matches("the (kernel lacks CONFIG_SCHED_CORE|CPU has no sibling).*"),
        found::toString);
  }

  @Test
  void shouldRunACommandAndLeaveNothing() {
    Sandbox sandbox = fixture.create(fixture.spec());
    Finished done = Finished.sh(sandbox, "echo $GREETING; hostname; id -u; echo oops >&2; exit 7");
    assertEquals("hi there\nbox\n0\n", done.out());
    assertEquals("oops\n", done.err());
    assertEquals(7, done.code());
    sandbox.destroy().await().atMost(ContainerFixture.PATIENCE);
    sandbox.destroy().await().atMost(ContainerFixture.PATIENCE);
    Termination why = sandbox.terminated().await().atMost(ContainerFixture.PATIENCE);
    assertEquals(Termination.Reason.DESTROYED, why.reason());
    SandgateException lost =
        assertThrows(
            SandgateException.class,
            () ->
                sandbox
                    .exec(ExecSpec.of("late", "true"))
                    .await()
                    .atMost(ContainerFixture.PATIENCE));
    assertEquals(ErrorCode.SANDBOX_LOST, lost.code());
  }
}
