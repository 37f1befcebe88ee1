// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import io.smallrye.mutiny.Uni;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Faults happen where they are set, and nowhere after they are cleared. */
final class FaultsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final FakeHost host = new FakeHost();
  private final FakeBackend backend =
      host.open(new BackendContext("n", Path.of("."), Map.of("fault.usage", "fail INTERNAL 1")));

  private Uni<Sandbox> creation() {
    SandboxSpec spec =
        new SandboxSpec(
            "sb-n-1",
            List.of(),
            ResourceLimits.DEFAULT,
            QosClass.BEST_EFFORT,
            "user",
            Map.of(),
            "h",
            Map.of());
    return backend.create(spec);
  }

  private static ErrorCode code(Uni<?> call) {
    Throwable failure =
        call.onItem()
            .transform(item -> (Throwable) new AssertionError("no failure"))
            .onFailure()
            .recoverWithItem(e -> e)
            .await()
            .atMost(PATIENCE);
    return ((SandgateException) failure).code();
  }

  @Test
  void shouldFailAsOftenAsSaid() {
    host.faults().fail(Faults.Point.CREATE, ErrorCode.RESOURCE_EXHAUSTED, 2);
    assertEquals(ErrorCode.RESOURCE_EXHAUSTED, code(creation()));
    assertEquals(ErrorCode.RESOURCE_EXHAUSTED, code(creation()));
    assertEquals("sb-n-1", creation().await().atMost(PATIENCE).id());
    assertEquals(3, host.faults().passed(Faults.Point.CREATE));
  }

  @Test
  void shouldTakeFaultsFromSettings() {
    Sandbox sandbox = creation().await().atMost(PATIENCE);
    assertEquals(ErrorCode.INTERNAL, code(sandbox.usage()));
    assertEquals(1, sandbox.usage().await().atMost(PATIENCE).processes());
  }

  @Test
  void shouldHangUntilCleared() {
    host.faults().hang(Faults.Point.CREATE);
    CompletableFuture<Sandbox> creation = creation().subscribeAsCompletionStage();
    Eventually.holds("it waits", () -> host.faults().passed(Faults.Point.CREATE) == 1);
    assertFalse(creation.isDone());
    host.faults().clear();
    Eventually.holds("it goes on", creation::isDone);
    assertEquals(1, host.sandboxIds().size());
  }

  @Test
  void shouldUndoACreateThatWasCancelledWhileItHung() {
    host.faults().hang(Faults.Point.CREATED);
    CompletableFuture<Sandbox> creation = creation().subscribeAsCompletionStage();
    Eventually.holds("it exists", () -> host.sandboxIds().size() == 1);
    creation.cancel(true);
    Eventually.holds("it is gone", () -> host.sandboxIds().isEmpty());
  }

  @Test
  void shouldDelay() {
    host.faults().delay(Faults.Point.DESTROY, Duration.ofMillis(200));
    Sandbox sandbox = creation().await().atMost(PATIENCE);
    long start = System.nanoTime();
    sandbox.destroy().await().atMost(PATIENCE);
    assertTrue(System.nanoTime() - start >= 200_000_000);
    assertTrue(host.sandboxIds().isEmpty());
  }

  @Test
  void shouldHoldBackAnExit() {
    Sandbox sandbox = creation().await().atMost(PATIENCE);
    host.faults().hang(Faults.Point.EXIT);
    Exec exec =
        sandbox.exec(ExecSpec.of("x", "sh", "-c", "echo a; exit 3")).await().atMost(PATIENCE);
    CompletableFuture<List<ExecEvent>> events =
        exec.events().collect().asList().subscribeAsCompletionStage();
    Eventually.holds("it ended", () -> host.faults().passed(Faults.Point.EXIT) == 1);
    assertFalse(events.isDone());
    host.faults().clear(Faults.Point.EXIT);
    Eventually.holds("the exit arrives", events::isDone);
    ExecEvent.Exited exited = (ExecEvent.Exited) events.join().getLast();
    assertEquals(3, exited.exitCode());
  }

  @Test
  void shouldFailAStreamInTheMiddle() {
    Sandbox sandbox = creation().await().atMost(PATIENCE);
    host.faults().fail(Faults.Point.OUTPUT, ErrorCode.SANDBOX_LOST);
    Exec exec = sandbox.exec(ExecSpec.of("x", "echo", "a")).await().atMost(PATIENCE);
    assertEquals(ErrorCode.SANDBOX_LOST, code(exec.events().collect().asList()));
  }

  @Test
  void shouldMakeTheProbeUnavailable() {
    assertTrue(backend.probe().available());
    host.faults().fail(Faults.Point.PROBE, ErrorCode.BACKEND_UNAVAILABLE);
    assertFalse(backend.probe().available());
  }
}
