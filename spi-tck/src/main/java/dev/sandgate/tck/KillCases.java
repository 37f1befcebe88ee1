// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals, the end of a whole tree, and commands whose caller gave up. */
interface KillCases {

  /** What a tree does to escape: ignore, leave the session, lose its parent. */
  String ESCAPISTS =
      """
      for i in 1 2 3; do (trap '' TERM INT HUP; setsid sleep 1000) & done
      (setsid sh -c 'sleep 1000 & sleep 1000 &' &)
      (sleep 1000 &) &
      echo spread
      wait
      """;

  Fixture fixture();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 6, 9, 10, 14, 15})
  default void shouldReportTheSignalThatEndedACommand(int signal) {
    Running running = fixture().start(Command.of("sleep", "1000"));
    running.signal(signal, SignalTarget.PROCESS);
    Result result = running.result();
    assertTrue(result.endedBy(signal, fixture().plainProcesses()), result::toString);
  }

  @Test
  default void shouldReportASignalFromInside() {
    Result result = fixture().sh("kill -9 $$");
    assertTrue(result.endedBy(9, fixture().plainProcesses()), result::toString);
  }

  @Test
  default void shouldLetACommandHandleASignal() {
    Running running =
        fixture()
            .start(
                Command.sh(
                    "trap 'echo caught; exit 3' USR1; echo ready; while :; do sleep 0.05; done"));
    running.events().awaitStdout("ready");
    running.signal(10, SignalTarget.PROCESS);
    Result result = running.result();
    assertEquals("ready\ncaught\n", result.stdout());
    assertEquals(3, result.exit().exitCode());
  }

  @Test
  default void shouldSignalTheGroupAndNotOnlyTheFirstProcess() {
    Running running = fixture().start(Command.sh("sleep 1000 & echo ready; wait"));
    running.events().awaitStdout("ready");
    running.signal(15, SignalTarget.GROUP);
    Result result = running.result();
    assertTrue(result.endedBy(15, fixture().plainProcesses()), result::toString);
    fixture().awaitQuiet();
  }

  @Test
  default void shouldKillTheWholeTreeWhateverItDidToEscape() {
    Running running = fixture().start(Command.sh(ESCAPISTS));
    running.events().awaitStdout("spread");
    Eventually.holds(
        "the tree spread", () -> Waiting.on(fixture().shared().usage()).processes() >= 6);
    running.kill();
    fixture().awaitQuiet();
  }

  @Test
  default void shouldKillACommandWhoseOutputNobodyReads() {
    Running running = Fixture.start(fixture().shared(), Command.of("yes"), 1);
    Eventually.holds("one chunk", () -> running.events().position().stdout() > 0);
    running.signal(9, SignalTarget.TREE);
    fixture().awaitQuiet();
    running.events().request(Long.MAX_VALUE);
    Result result = running.result();
    assertTrue(result.endedBy(9, fixture().plainProcesses()), result::toString);
  }

  @Test
  default void shouldKillOneCommandAndNoOther() {
    Running other = fixture().start(Command.sh("read line; echo $line").stdin());
    Running victim = fixture().start(Command.of("sleep", "1000"));
    victim.kill();
    other.write(0, "alive\n", true);
    assertEquals("alive", other.result().line());
  }

  @Test
  default void shouldLeaveNothingOfACancelledExec() {
    Sandbox sandbox = fixture().shared();
    List<CompletableFuture<Result>> killed = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      killed.add(
          Waiting.left(sandbox.exec(Command.of("sleep", "1000").spec()), i % 50 * 100_000L)
              .thenApplyAsync(KillCases::kill, Thread::startVirtualThread));
    }
    fixture().awaitQuiet();
    Waiting.noneFailed(killed);
    assertEquals("ok", fixture().run(Command.of("echo", "ok")).line());
  }

  private static Result kill(Exec exec) {
    Recorder events = new Recorder();
    exec.events().subscribe(events);
    return new Running(exec, events).kill();
  }
}
