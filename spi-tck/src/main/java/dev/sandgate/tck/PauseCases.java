// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Reclaimed;
import dev.sandgate.spi.Sandbox;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Sandboxes that stand still and go on. */
interface PauseCases {

  /** More than the probes of an agent that does not answer take. */
  long SILENCE_SECONDS = 4;

  Fixture fixture();

  private Sandbox subject() {
    fixture().assumeHas(Capability.PAUSE);
    return fixture().fresh();
  }

  private static long counted(Sandbox sandbox) {
    return Long.parseLong(
        Fixture.run(sandbox, Command.sh("cat /tmp/count 2>/dev/null | wc -c")).line().strip());
  }

  /** The kernel may still be adding up what ran before; a command that goes on takes more than that. */
  private static void assertStandsStill(Sandbox sandbox, Duration time) {
    Duration before = Waiting.on(sandbox.usage()).cpu();
    LockSupport.parkNanos(time.toNanos());
    Duration used = Waiting.on(sandbox.usage()).cpu().minus(before);
    assertTrue(used.toNanos() < time.toNanos() / 1_000, () -> used + " of CPU time");
  }

  @Test
  default void shouldStandStillWhilePausedAndGoOnAfterwards() {
    Sandbox sandbox = subject();
    Running counter =
        Fixture.start(sandbox, Command.sh("while :; do printf x >> /tmp/count; sleep 0.01; done"));
    Eventually.holds("it counts", () -> counted(sandbox) > 3);
    Waiting.on(sandbox.pause());
    Waiting.on(sandbox.pause());
    assertStandsStill(sandbox, Duration.ofSeconds(SILENCE_SECONDS));
    Waiting.on(sandbox.resume());
    Waiting.on(sandbox.resume());
    long resumed = counted(sandbox);
    assertTrue(resumed < 200, () -> resumed + " steps, though it stood still");
    Eventually.holds("it goes on", () -> counted(sandbox) > resumed);
    assertFalse(counter.events().ended(), "the command ended");
    assertFalse(sandbox.terminated().subscribeAsCompletionStage().isDone(), "the sandbox ended");
  }

  @Test
  default void shouldAnswerWhatWasAskedDuringAPauseAfterIt() {
    Sandbox sandbox = subject();
    Waiting.on(sandbox.pause());
    CompletableFuture<Exec> asked =
        sandbox.exec(Command.of("echo", "late").spec()).subscribeAsCompletionStage();
    Waiting.on(sandbox.resume());
    Exec exec = Waiting.on(asked);
    Recorder events = new Recorder(Long.MAX_VALUE, OutputOffsets.START);
    exec.events().subscribe(events);
    assertEquals("late", new Running(exec, events).result().line());
  }

  @Test
  default void shouldTellHowMuchMemoryAPausedOneGaveBack() {
    Sandbox sandbox = subject();
    Waiting.on(sandbox.pause());
    Reclaimed reclaimed = Waiting.on(sandbox.reclaim());
    assertTrue(reclaimed.bytesBefore() > 0 && reclaimed.bytesAfter() >= 0, reclaimed::toString);
    Waiting.on(sandbox.resume());
    assertEquals("hi", Fixture.run(sandbox, Command.of("echo", "hi")).line());
  }

  @Test
  default void shouldDestroyAPausedOne() {
    Sandbox sandbox = subject();
    Fixture.start(sandbox, Command.of("sleep", "1000"));
    Waiting.on(sandbox.pause());
    Waiting.on(sandbox.destroy());
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.pause()));
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.resume()));
  }

  @Test
  default void shouldResetAPausedOneIntoARunningOne() {
    Sandbox sandbox = subject();
    fixture().assumeHas(Capability.RESET);
    Waiting.on(sandbox.pause());
    Waiting.on(sandbox.reset());
    assertEquals("hi", Fixture.run(sandbox, Command.of("echo", "hi")).line());
  }

  @Test
  default void shouldStillStandStillAfterASnapshotOfAPausedOne() {
    Sandbox sandbox = subject();
    fixture().assumeHas(Capability.DISK_SNAPSHOT);
    Fixture.start(sandbox, Command.sh("while :; do printf x >> /tmp/count; sleep 0.01; done"));
    Eventually.holds("it counts", () -> counted(sandbox) > 3);
    Waiting.on(sandbox.pause());
    try (DiskSnapshot _ = Waiting.on(sandbox.snapshot(SnapshotCases.NO_LIMITS))) {
      assertStandsStill(sandbox, Duration.ofMillis(500));
    }
    Waiting.on(sandbox.resume());
  }
}
