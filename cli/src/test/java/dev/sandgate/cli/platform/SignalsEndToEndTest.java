// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.SandboxHandle;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a command does in its sandbox when the process that runs it is told to end, or is read no more. */
@Tag("root")
final class SignalsEndToEndTest {

  private static Platform platform;
  private static Cli cli;
  private static SandboxHandle box;

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
    cli = new Cli(platform);
    box = platform.box();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  @ParameterizedTest
  @CsvSource({"TERM,143,4001,table", "HUP,129,4002,table", "TERM,143,4003,json"})
  void shouldEndTheCommandsTreeWithItself(String signal, int code, String time, String output)
      throws IOException, InterruptedException {
    String line = "trap '' HUP TERM; sleep " + time + " & setsid sleep " + time + " & wait";
    Process process = cli.start("exec", "-o", output, box.id(), "--", "sh", "-c", line);
    awaitThat("sleep " + time, true);

    send(signal, process.pid());

    assertEquals(code, Cli.ended(process, InputStream.nullInputStream()).code());
    awaitThat("sleep " + time, false);
  }

  @Test
  void shouldEndTheCommandWhenNobodyReadsItsOutput() throws IOException, InterruptedException {
    Process process = cli.start("exec", box.id(), "yes", "nobody-reads");
    assertEquals(5_000, process.getInputStream().readNBytes(5_000).length);
    process.getInputStream().close();

    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(141, process.exitValue());
    awaitThat("yes nobody-reads", false);
  }

  @Test
  void shouldHangUpItsShellWhenTheTerminalIsClosed() throws IOException, InterruptedException {
    Process terminal = cli.open("sh", box.id());
    terminal
        .getOutputStream()
        .write("sleep 4242\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    terminal.getOutputStream().flush();
    awaitThat("sleep 4242", true);
    List<ProcessHandle> inside = terminal.descendants().toList();

    terminal.destroyForcibly();

    awaitThat("sleep 4242", false);
    awaitThat("sh -l", false);
    for (ProcessHandle process : inside) {
      process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }
  }

  @Test
  void shouldHangUpItsShellWhenItIsToldToEnd() throws IOException, InterruptedException {
    Process terminal =
        cli.open("sh", box.id(), "--shell", "'trap \"\" HUP; sleep 4343; sleep 4343'");
    awaitThat("sleep 4343", true);
    long pid =
        terminal
            .descendants()
            .filter(p -> p.info().command().orElse("").endsWith("java"))
            .findFirst()
            .orElseThrow()
            .pid();

    send("TERM", pid);

    assertEquals(143, Cli.ended(terminal, InputStream.nullInputStream()).code());
    awaitThat("sleep 4343", false);
  }

  private static void send(String signal, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + signal, String.valueOf(pid)).start();
    assertTrue(kill.waitFor(10, TimeUnit.SECONDS));
    assertEquals(0, kill.exitValue());
  }

  private static void awaitThat(String command, boolean runs) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    String seen = box.run("ps -o args").stdoutText();
    while (seen.lines().anyMatch(command::equals) != runs) {
      assertTrue(System.nanoTime() < end, command + " runs is not " + runs + " in:\n" + seen);
      seen = box.run("ps -o args").stdoutText();
    }
  }
}
