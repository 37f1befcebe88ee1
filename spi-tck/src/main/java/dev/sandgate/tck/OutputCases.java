// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Sandbox;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Output: every byte, in order, before the exit, at the reader's pace. */
interface OutputCases {

  /** The most that may be on its way to a reader who stopped: pipes, the guest's and the host's buffers. */
  long MOST_UNDER_WAY = 4 << 20;

  Fixture fixture();

  @Test
  default void shouldCarryAllByteValuesOnBothStreamsAtOnce() {
    String bytes = "printf '" + Bytes.octalOfAll() + "'";
    Result result =
        fixture()
            .sh("i=0; while [ $i -lt 100 ]; do " + bytes + "; " + bytes + " >&2; i=$((i+1)); done");
    byte[] expected = Bytes.repeat(Bytes.all(), 100);
    assertArrayEquals(expected, result.out().bytes());
    assertArrayEquals(expected, result.err().bytes());
  }

  @Test
  default void shouldCarryALineOfOneMebibyte() {
    Result result = fixture().sh("head -c 1048576 /dev/zero | tr '\\000' x");
    assertEquals("x".repeat(1 << 20), result.stdout());
  }

  @Test
  default void shouldKeepBlankLinesAndNotAddOne() {
    assertEquals("\n\r\n\n a", fixture().run(Command.of("printf", "\n\r\n\n a")).stdout());
  }

  @Test
  default void shouldCarryAHundredMegabytesOfRandomBytes() {
    long size = 100_000_000;
    String file = fixture().scratch() + "/random";
    fixture().sh("head -c " + size + " /dev/urandom > " + file).succeeded();
    String expected = fixture().run(Command.of("sha256sum", file)).line().substring(0, 64);
    Running running = fixture().start(Command.of("cat", file));
    Result result = running.events().result(Duration.ofSeconds(90)).succeeded();
    Waiting.on(running.exec().release());
    fixture().run(Command.of("rm", file)).succeeded();
    assertEquals(size, result.out().count());
    assertEquals(expected, result.out().sha256Hex());
  }

  @Test
  default void shouldCarryFiveMillionLines() {
    Running running = fixture().start(Command.of("seq", "1", "5000000"));
    Result result = running.events().result(Duration.ofSeconds(90)).succeeded();
    Waiting.on(running.exec().release());
    assertEquals(linesSha256(5_000_000), result.out().sha256Hex());
  }

  private static String linesSha256(int last) {
    MessageDigest digest = Capture.sha256();
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= last; i++) {
      lines.append(i).append('\n');
      if (i % 10_000 == 0 || i == last) {
        digest.update(lines.toString().getBytes(StandardCharsets.US_ASCII));
        lines.setLength(0);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  @Test
  default void shouldNeverShowAnExitBeforeItsOutput() {
    Sandbox sandbox = fixture().shared();
    for (int round = 0; round < 25; round++) {
      List<Running> running = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        running.add(Fixture.start(sandbox, Command.sh("echo out" + i + "; echo err" + i + " >&2")));
      }
      for (int i = 0; i < running.size(); i++) {
        Result result = running.get(i).result();
        assertEquals("out" + i + "\n", result.stdout());
        assertEquals("err" + i + "\n", result.stderr());
      }
    }
  }

  @Test
  default void shouldShowOutputWhileTheCommandRuns() {
    Running running = fixture().start(Command.sh("echo first; read line; echo $line").stdin());
    running.events().awaitStdout("first\n");
    assertFalse(running.events().ended());
    running.write(0, "second\n", true);
    assertEquals("first\nsecond\n", running.result().stdout());
  }

  @Test
  default void shouldNotWaitForAGrandchildThatKeepsThePipe() {
    Running running = fixture().start(Command.sh("sleep 1000 & echo done $!"));
    Result result = running.events().result(Duration.ofSeconds(5)).succeeded();
    Waiting.on(running.exec().release());
    String[] words = result.line().split(" ", -1);
    assertEquals("done", words[0]);
    fixture().sh("kill " + words[1]).succeeded();
  }

  @Test
  default void shouldStopTheProducerWhenTheReaderStops() {
    String file = fixture().scratch() + "/progress";
    Running running =
        Fixture.start(
            fixture().shared(),
            Command.sh("while :; do head -c 65536 /dev/zero; echo >> " + file + "; done"),
            2);
    long stopped = Eventually.settles("progress", Duration.ofMillis(500), () -> progress(file));
    assertTrue(stopped * 65_536 < MOST_UNDER_WAY, () -> "wrote " + stopped + " chunks");
    running.events().request(1000);
    Eventually.value("it goes on", () -> progress(file), now -> now > stopped);
    running.kill();
    fixture().run(Command.of("rm", file)).succeeded();
  }

  private long progress(String file) {
    return fixture().sh("cat " + file + " 2>/dev/null").out().count();
  }

  @Test
  default void shouldLetNoStoppedReaderStopAnotherCommand() {
    Running stopped = Fixture.start(fixture().shared(), Command.of("yes"), 1);
    Eventually.holds("it is full", () -> stopped.events().position().stdout() > 0);
    Result other = fixture().sh("head -c 20000000 /dev/zero").succeeded();
    assertEquals(20_000_000, other.out().count());
    stopped.kill();
  }

  @Test
  default void shouldLeaveACommandRunningWhenItsListenerLeaves() {
    String file = fixture().scratch() + "/went-on";
    Running running = fixture().start(Command.sh("read line; echo $line > " + file).stdin());
    running.events().cancel();
    running.write(0, "yes\n", true);
    Eventually.value(
        "the command goes on",
        () -> fixture().sh("cat " + file + " 2>/dev/null").stdout(),
        "yes\n"::equals);
    Waiting.on(running.exec().release());
    fixture().run(Command.of("rm", file)).succeeded();
  }
}
