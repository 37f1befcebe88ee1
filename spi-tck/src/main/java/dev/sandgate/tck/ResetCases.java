// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The return to the environment's state in place. */
interface ResetCases {

  Fixture fixture();

  private Sandbox subject() {
    fixture().assumeHas(Capability.RESET);
    return fixture().fresh();
  }

  @Test
  default void shouldKeepItsIdAndTakeCommandsAfterAReset() {
    Sandbox sandbox = subject();
    String id = sandbox.id();
    for (int i = 0; i < 3; i++) {
      Waiting.on(sandbox.reset());
      assertEquals(id, sandbox.id());
      assertEquals("hi", Fixture.run(sandbox, Command.of("echo", "hi")).line());
    }
    assertTrue(!sandbox.terminated().subscribeAsCompletionStage().isDone());
  }

  @Test
  default void shouldEndWhatRunsAtAReset() {
    Sandbox sandbox = subject();
    Running sleeper = Fixture.start(sandbox, Command.of("sleep", "1000"));
    Waiting.on(sandbox.reset());
    Eventually.holds("its events end", () -> sleeper.events().ended());
  }

  @Test
  default void shouldResetTwiceAtOnce() {
    Sandbox sandbox = subject();
    Uni<Void> both =
        Uni.join().all(sandbox.reset(), sandbox.reset()).andFailFast().replaceWithVoid();
    Waiting.on(both);
    assertEquals("hi", Fixture.run(sandbox, Command.of("echo", "hi")).line());
  }

  @Test
  default void shouldRefuseAResetOfWhatHasEnded() {
    Sandbox sandbox = subject();
    Waiting.on(sandbox.destroy());
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.reset()));
  }

  @Test
  default void shouldLeaveNothingOfAResetThatMeetsADestroy() {
    fixture().assumeHas(Capability.RESET);
    for (int i = 0; i < 15; i++) {
      Sandbox sandbox = fixture().fresh();
      CompletableFuture<?> reset = sandbox.reset().subscribeAsCompletionStage();
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(i * 300L));
      Waiting.on(sandbox.destroy());
      settled(reset);
      assertEquals(
          ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.exec(Command.of("echo", "x").spec())));
    }
  }

  private static void settled(CompletableFuture<?> reset) {
    try {
      reset.orTimeout(20, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      assertEquals(
          ErrorCode.SANDBOX_LOST, assertInstanceOf(SandgateException.class, e.getCause()).code());
    }
  }

  @Test
  default void shouldRunACommandThatMeetsAResetBeforeItOrAfterItOrNot() {
    Sandbox sandbox = subject();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<?> reset = sandbox.reset().subscribeAsCompletionStage();
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(i * 200L));
      var started = sandbox.exec(Command.of("sleep", "1000").spec()).subscribeAsCompletionStage();
      reset.orTimeout(20, TimeUnit.SECONDS).join();
      started
          .orTimeout(20, TimeUnit.SECONDS)
          .handle((exec, failure) -> failure == null ? "runs" : "does not")
          .join();
    }
    Waiting.on(sandbox.reset());
    Fixture.awaitProcesses(sandbox, 1);
  }
}
