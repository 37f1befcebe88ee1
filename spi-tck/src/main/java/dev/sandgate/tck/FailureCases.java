// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.Termination;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The end of a sandbox while work is pending: everything fails, typed, and nothing hangs. */
interface FailureCases {

  Fixture fixture();

  @Test
  default void shouldFailWhatIsPendingWhenDestroyed() {
    Sandbox sandbox = fixture().fresh();
    Running silent = Fixture.start(sandbox, Command.of("sleep", "1000").stdin());
    Running loud = Fixture.start(sandbox, Command.of("yes"));
    Running stopped = Fixture.start(sandbox, Command.of("yes"), 1);
    CompletableFuture<Long> write = fullStdin(silent);
    Waiting.on(sandbox.destroy());
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(silent.events().failure()));
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(loud.events().failure()));
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(stopped.events().failure()));
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(Waiting.failureOf(write)));
  }

  /** Writes until a write stays pending, and returns that. */
  private static CompletableFuture<Long> fullStdin(Running running) {
    long offset = 0;
    while (true) {
      CompletableFuture<Long> write =
          running
              .exec()
              .write(offset, ByteBuffer.allocate(InputCases.CHUNK), false)
              .subscribeAsCompletionStage();
      if (!Eventually.settles("the write", Duration.ofMillis(200), write::isDone)) {
        return write;
      }
      offset = write.join();
    }
  }

  @Test
  default void shouldEndWhenTheGuestIsKilled() {
    Sandbox sandbox = fixture().fresh();
    Running silent = Fixture.start(sandbox, Command.of("sleep", "1000").stdin());
    Running stopped = Fixture.start(sandbox, Command.of("yes"), 1);
    CompletableFuture<Termination> end = sandbox.terminated().subscribeAsCompletionStage();
    assumeTrue(
        fixture().subject().killGuest().test(sandbox), "this subclass cannot kill the guest");
    Termination termination = Waiting.on(end, Duration.ofSeconds(5));
    assertTrue(
        EnumSet.of(Termination.Reason.GUEST, Termination.Reason.CHANNEL_LOST)
            .contains(termination.reason()),
        termination::toString);
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(silent.events().failure()));
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(stopped.events().failure()));
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.exec(Command.of("true").spec())));
    Waiting.on(sandbox.destroy());
    assertEquals(termination.reason(), Waiting.on(sandbox.terminated()).reason());
  }

  @Test
  default void shouldHarmNoOtherSandboxWhenOneIsKilled() {
    Sandbox victim = fixture().fresh();
    Running other = Fixture.start(fixture().fresh(), Command.sh("read line; echo $line").stdin());
    assumeTrue(fixture().subject().killGuest().test(victim), "this subclass cannot kill the guest");
    Waiting.on(victim.terminated());
    other.write(0, "alive\n", true);
    assertEquals("alive", other.result().line());
  }
}
