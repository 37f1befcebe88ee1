// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.FunctionResult;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pool's beginning and end on real workers; needs root. */
@Tag("root")
@Timeout(120)
final class LifecycleTest {

  @Test
  void shouldStartNothingBeforeTheFirstCallAndLeaveNothingWhenClosed()
      throws IOException, InterruptedException {
    try (FncallFixture fixture = new FncallFixture(HostLayers::python, Map.of())) {
      assertTrue(fixture.backend().probe().available(), fixture.backend().probe()::reason);
      fixture.backend().adopt(List.of()).await().indefinitely();
      assertFalse(fixture.hasSpawner(), "a spawner runs before the first call");
      fixture.python("pass");
      CompletableFuture<FunctionResult> running =
          fixture
              .backend()
              .functions()
              .call(fixture.of(Language.PYTHON, "import time; time.sleep(60)"))
              .subscribeAsCompletionStage();
      Eventually.holds("it runs", () -> fixture.counts().busy() == 1);
      fixture.backend().close();
      assertFalse(fixture.hasSpawner(), "a spawner is left");
      CompletionException failure = assertThrows(CompletionException.class, running::join);
      assertTrue(failure.getCause() instanceof SandgateException, failure::toString);
    }
  }

  @Test
  void shouldRemoveTheWorkersOfANodeThatWasKilled() throws IOException, InterruptedException {
    try (FncallFixture fixture = new FncallFixture(HostLayers::python, Map.of())) {
      fixture.python("pass");
      fixture.settled();
      assertEquals(1, fixture.workers().size());
      try (FncallBackend next = fixture.open()) {
        assertEquals(List.of(), next.adopt(List.of()).await().indefinitely());
        assertFalse(fixture.hasSpawner(), "a spawner is left");
        FunctionResult result =
            next.functions()
                .call(fixture.of(Language.PYTHON, "print(1)"))
                .await()
                .atMost(FncallFixture.PATIENCE);
        assertEquals("1", FncallFixture.said(result));
      }
    }
  }
}
