// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SessionSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Persistent shells, when {@link Capability#SESSIONS} is declared. */
interface SessionCases {

  Fixture fixture();

  private ShellSession open() {
    fixture().assumeHas(Capability.SESSIONS);
    return ShellSession.open(fixture().shared());
  }

  @Test
  default void shouldKeepWhatACommandChangedForTheNextOne() {
    try (ShellSession session = open()) {
      session.run("cd /tmp; X=1; export Y='a b'; f() { echo \"f $1\"; }; umask 077").succeeded();
      Result next = session.run("pwd; echo $X; sh -c 'echo $Y'; f 3; umask");
      assertEquals("/tmp\n1\na b\nf 3\n0077\n", next.stdout());
    }
  }

  @Test
  default void shouldKeepSessionsApart() {
    try (ShellSession one = open();
        ShellSession other = open()) {
      one.run("cd /tmp; X=1").succeeded();
      assertEquals("[]", other.run("echo \"[$X]\"; cd /").line());
      assertEquals("/tmp", one.run("pwd").line());
    }
  }

  @Test
  default void shouldBeginAsAsked() {
    fixture().assumeHas(Capability.SESSIONS);
    SessionSpec spec =
        new SessionSpec(ShellSession.newId(), "/bin/sh", Map.of("A", "b c"), "/tmp", "root");
    try (ShellSession session = ShellSession.open(fixture().shared(), spec)) {
      assertEquals("/tmp b c 0", session.run("echo \"$(pwd) $A $(id -u)\"").line());
    }
  }

  @Test
  default void shouldRunTwoSessionsAtTheSameTimeAndOneCommandInEach() {
    try (ShellSession one = open();
        ShellSession other = open()) {
      Running waiting = one.start("read line; echo got $line", true);
      assertEquals("through", other.run("echo through").line());
      assertEquals(ErrorCode.FAILED_PRECONDITION, one.refused("echo no"));
      waiting.write(0, "it\n", true);
      assertEquals("got it", waiting.result().line());
      assertEquals("free", one.run("echo free").line());
    }
  }

  @Test
  default void shouldCloseOneSessionWithItsTreeAndNoOther() {
    try (ShellSession other = open()) {
      Running kept = other.start("sleep 1000 & echo up; wait", false);
      kept.events().awaitStdout("up");
      int before = Waiting.on(fixture().shared().usage()).processes();
      ShellSession session = open();
      session.run("setsid sleep 1000 & sleep 1000 & :").succeeded();
      Running busy = session.start("trap '' TERM INT; echo up; sleep 1000", false);
      busy.events().awaitStdout("up");
      session.end();
      assertTrue(busy.result().endedBy(9, false));
      Fixture.awaitProcesses(fixture().shared(), before);
      assertEquals(ErrorCode.FAILED_PRECONDITION, session.refusedUnreleased("echo no"));
      session.release();
      assertEquals(ErrorCode.NOT_FOUND, session.refused("echo no"));
      kept.signal(9, SignalTarget.TREE);
      kept.result();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"echo \"unbalanced", "echo 'unbalanced", "if true; then", "((", "echo )", "}"})
  default void shouldSurviveASyntaxError(String broken) {
    try (ShellSession session = open()) {
      session.run("X=kept").succeeded();
      Result result = session.run(broken);
      assertNotEquals(0, result.exit().exitCode());
      assertTrue(result.err().count() > 0);
      assertEquals("kept", session.run("echo $X").line());
    }
  }

  @Test
  default void shouldTakeHeredocsAndManyLines() {
    try (ShellSession session = open()) {
      Result result =
          session.run("X=1\ncat <<E\na $X\nE\ncat <<'E'\nb $X\nE\nfor i in 1 2\ndo echo $i\ndone");
      assertEquals("a 1\nb $X\n1\n2\n", result.stdout());
    }
  }

  @Test
  default void shouldGiveEachCommandItsOwnStreams() {
    try (ShellSession session = open()) {
      assertEquals("a\n", session.run("echo a; exec 1>/dev/null 2>&1; echo b").stdout());
      assertEquals("c", session.run("echo c").line());
      session.run("exec <&- >&- 2>&-");
      Result apart = session.run("echo out; echo err >&2; cat");
      assertEquals("out\n", apart.stdout());
      assertEquals("err\n", apart.stderr());
      Running reading = session.start("cat", true);
      reading.write(0, "its own\n", true);
      assertEquals("its own", reading.result().line());
    }
  }

  @Test
  default void shouldNotCareAboutPromptsAndOptions() {
    try (ShellSession session = open()) {
      session.run("PS1='$(echo bad)> '; PROMPT_COMMAND='echo bad'; IFS=0123456789; set -C; set -f");
      assertEquals("ok", session.run("echo ok").line());
      assertEquals(127, session.run("(exit 127)").exit().exitCode());
      assertEquals("", session.run("break").stdout());
      assertEquals("", session.run("continue; echo no").stdout());
      assertEquals("on", session.run("echo on").line());
    }
  }

  @Test
  default void shouldCarryBinaryOutputAndAnEndWithoutNewline() {
    try (ShellSession session = open()) {
      String file = fixture().scratch() + "/session-random";
      Result random =
          session.run(
              "head -c 1048576 /dev/urandom >%1$s; sha256sum <%1$s >&2; cat %1$s; rm %1$s"
                  .formatted(file));
      assertEquals(1 << 20, random.out().count());
      assertEquals(random.stderr().substring(0, 64), random.out().sha256Hex());
      assertEquals("no newline", session.run("printf 'no newline'").stdout());
    }
  }

  @Test
  default void shouldNotWaitForAJobThatHoldsItsOutput() {
    try (ShellSession session = open()) {
      Running running = session.start("sleep 1000 & echo done", false);
      assertEquals("done", running.events().result(Duration.ofSeconds(5)).line());
      assertEquals("killed", session.run("kill $! && echo killed").line());
    }
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "echo bye; exit 7, 7, 0",
        "set -e; echo bye; false; echo no, 1, 0",
        "exec sh -c 'echo bye; exit 3', 3, 0",
        "echo bye; kill -9 $$, -1, 9"
      })
  default void shouldEndWithItsShellAndSayHow(String script, int code, int signal) {
    try (ShellSession session = open()) {
      Result result = session.run(script);
      assertEquals("bye\n", result.stdout());
      assertEquals(code, result.exit().exitCode());
      assertEquals(signal, result.exit().signal());
      Result shell = session.ended();
      assertEquals(code, shell.exit().exitCode());
      assertEquals(signal, shell.exit().signal());
      assertEquals(ErrorCode.FAILED_PRECONDITION, session.refusedUnreleased("echo no"));
    }
  }

  @Test
  default void shouldKillACommandAndKeepTheShell() {
    try (ShellSession session = open()) {
      session.run("X=kept").succeeded();
      Running running = session.start("setsid sleep 1000 & echo up; sleep 1000", false);
      running.events().awaitStdout("up");
      running.signal(9, SignalTarget.TREE);
      assertEquals(137, running.result().exit().exitCode());
      assertEquals("kept", session.run("echo $X").line());
    }
  }

  @Test
  default void shouldEndTheSessionWhenItsShellIsBusyByItself() {
    try (ShellSession session = open()) {
      Running running = session.start("echo up; while :; do :; done", false);
      running.events().awaitStdout("up");
      running.signal(9, SignalTarget.TREE);
      assertTrue(running.result().endedBy(9, false));
      assertEquals(9, session.ended().exit().signal());
    }
  }

  @Test
  default void shouldKeepSessionsOverARestart() {
    fixture().assumeHas(Capability.SESSIONS);
    fixture().assumeHas(Capability.ADOPT);
    SandboxSpec spec = fixture().newSpec();
    ShellSession session = ShellSession.open(fixture().fresh(spec));
    session.run("X=kept").succeeded();
    try (ShellSession again = session.attach(restarted(spec))) {
      assertEquals("kept", again.run("echo $X").line());
    }
  }

  @Test
  default void shouldKillACommandAfterARestartWithItsShellOnlyIfThatIsBusyByItself() {
    fixture().assumeHas(Capability.SESSIONS);
    fixture().assumeHas(Capability.ADOPT);
    SandboxSpec spec = fixture().newSpec();
    Sandbox before = fixture().fresh(spec);
    ShellSession resting = ShellSession.open(before);
    ShellSession busy = ShellSession.open(before);
    Running sleep = resting.start("echo up; sleep 1000", false);
    Running loop = busy.start("echo up; while :; do :; done", false);
    sleep.events().awaitStdout("up");
    loop.events().awaitStdout("up");
    Sandbox back = restarted(spec);
    try (ShellSession kept = resting.attach(back);
        ShellSession ended = busy.attach(back)) {
      assertEquals(137, kept.attach(back, sleep).kill().exit().exitCode());
      assertTrue(ended.attach(back, loop).kill().endedBy(9, false));
      assertEquals(9, ended.ended().exit().signal());
      assertEquals("here", kept.run("echo here").line());
    }
  }

  private Sandbox restarted(SandboxSpec spec) {
    List<Sandbox> alive = fixture().restart(List.of(fixture().sharedSpec(), spec));
    Sandbox back =
        alive.stream().filter(found -> found.id().equals(spec.id())).findFirst().orElseThrow();
    fixture().owned(back);
    return back;
  }

  @Test
  default void shouldRefuseASessionWhoseShellIsNotThere() {
    fixture().assumeHas(Capability.SESSIONS);
    Sandbox sandbox = fixture().shared();
    SessionSpec spec = new SessionSpec("nope", "/nope/sh", Map.of(), "", "");
    assertEquals(ErrorCode.EXEC_FAILED, Waiting.codeOf(sandbox.openSession(spec)));
    assertEquals(ErrorCode.NOT_FOUND, Waiting.codeOf(sandbox.attachSession("nope")));
  }
}
