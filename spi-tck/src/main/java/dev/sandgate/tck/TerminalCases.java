// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.TerminalSize;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Commands on a terminal, when {@link Capability#TERMINAL} is declared. */
interface TerminalCases {

  Fixture fixture();

  private Running start(Command command) {
    fixture().assumeHas(Capability.TERMINAL);
    return fixture().start(command.terminal(97, 31));
  }

  @Test
  default void shouldHaveATerminalOfTheGivenSize() {
    Result result =
        start(Command.sh("tty && stty size && echo \"TERM=$TERM\"; echo err >&2")).result();
    assertTrue(result.stdout().startsWith("/dev/"), result::stdout);
    assertTrue(result.stdout().contains("\n31 97\r\n"), result::stdout);
    assertFalse(result.stdout().contains("TERM=\r"), result::stdout);
    assertTrue(result.stdout().contains("err\r\n"), "stderr goes to the terminal");
    assertEquals(0, result.err().count());
  }

  @Test
  default void shouldResize() {
    Running running =
        start(Command.sh("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"));
    running.events().awaitStdout("ready");
    Waiting.on(running.exec().resize(new TerminalSize(133, 44)));
    running.events().awaitStdout("44 133");
    running.kill();
  }

  @Test
  default void shouldInterruptTheForegroundWithControlC() {
    Running running =
        start(
            Command.sh(
                "trap 'echo interrupted; exit 5' INT; echo ready; while :; do sleep 0.2; done"));
    running.events().awaitStdout("ready");
    running.write(0, "\u0003", false);
    Result result = running.result();
    assertTrue(result.stdout().contains("interrupted"), result::stdout);
    assertEquals(5, result.exit().exitCode());
  }

  @Test
  default void shouldSignalTheForegroundGroup() {
    Running running =
        start(
            Command.sh("trap 'echo got it; exit 6' TERM; echo ready; while :; do sleep 0.2; done"));
    running.events().awaitStdout("ready");
    running.signal(15, SignalTarget.GROUP);
    Result result = running.result();
    assertTrue(result.stdout().contains("got it"), result::stdout);
    assertEquals(6, result.exit().exitCode());
  }

  @Test
  default void shouldTypeTheEndOfStdin() {
    Running running = start(Command.of("cat"));
    running.write(0, "line\n", true);
    Result result = running.result().succeeded();
    assertTrue(result.stdout().contains("line"), result::stdout);
  }

  @Test
  default void shouldCarryAllByteValuesOut() {
    Result result =
        start(Command.sh("stty raw -echo; printf '" + Bytes.octalOfAll() + "'")).result();
    assertArrayEquals(Bytes.all(), result.out().bytes());
  }

  @Test
  default void shouldCarryAllByteValuesIn() {
    Running running = start(Command.sh("stty raw -echo; echo ready; head -c 256 | sha256sum"));
    running.events().awaitStdout("ready");
    Waiting.on(running.exec().write(0, ByteBuffer.wrap(Bytes.all()), false));
    String hash = Capture.sha256Hex(Bytes.all());
    assertTrue(running.result().stdout().contains(hash), hash);
  }

  @Test
  default void shouldCarryALotThroughTheTerminal() {
    Result result = start(Command.sh("stty -onlcr; seq 1 200000")).result();
    assertEquals(1_288_895, result.out().count());
  }

  @Test
  default void shouldKillWhatRunsOnTheTerminal() {
    Running running = start(Command.sh(KillCases.ESCAPISTS));
    running.events().awaitStdout("spread");
    running.kill();
    fixture().awaitQuiet();
  }
}
