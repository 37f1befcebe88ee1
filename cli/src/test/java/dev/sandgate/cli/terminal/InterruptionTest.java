// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.tck.Eventually;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Signals are told to it by hand: real ones would meet the process of the tests. */
final class InterruptionTest {

  private static final int HUP = 1;

  private final CountDownLatch never = new CountDownLatch(1);
  private final Interruption interruption = new Interruption();

  @AfterEach
  void close() {
    interruption.close();
  }

  private void arrives() {
    Thread _ = Thread.ofVirtual().start(() -> interruption.arrived(HUP));
  }

  @Test
  void shouldInterruptTheWorkAndGiveTheSignalsCode() {
    assertFalse(interruption.taken(false));
    arrives();
    assertThrows(InterruptedException.class, () -> never.await(30, TimeUnit.SECONDS));
    assertTrue(interruption.taken(false));
    assertEquals(128 + HUP, interruption.exitCode(0));
  }

  @Test
  void shouldNotInterruptTheUndoingOfWhatFailedJustBeforeTheSignal() throws InterruptedException {
    assertFalse(interruption.taken(true));
    arrives();
    Eventually.holds("the signal is noted", () -> interruption.exitCode(0) == 128 + HUP);
    assertFalse(never.await(300, TimeUnit.MILLISECONDS));
  }

  @Test
  void shouldNotInterruptTheUndoingAgain() throws InterruptedException {
    arrives();
    assertThrows(InterruptedException.class, () -> never.await(30, TimeUnit.SECONDS));
    assertTrue(interruption.taken(false));
    arrives();
    assertFalse(never.await(300, TimeUnit.MILLISECONDS));
  }
}
