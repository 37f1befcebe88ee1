// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.SandboxHandle;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command, as a process, against the real platform. */
@Tag("root")
final class CliEndToEndTest {

  private static Platform platform;
  private static Cli cli;
  private static SandboxHandle box;

  @TempDir Path directory;

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

  @Test
  void shouldEndWithTheCommandsExitCodeAndKeepItsStreamsApart()
      throws IOException, InterruptedException {
    Cli.Ended ended =
        cli.run("exec", box.id(), "--", "sh", "-c", "echo out; echo err >&2; exit 42");

    assertEquals(42, ended.code());
    assertEquals("out\n", ended.stdout());
    assertEquals("err\n", ended.stderr());
  }

  @Test
  void shouldEndWith128AndTheSignal() throws IOException, InterruptedException {
    assertEquals(137, cli.run("exec", box.id(), "sh", "-c", "kill -9 $$").code());
  }

  @Test
  void shouldEndWith125WhenThePlatformFails() throws IOException, InterruptedException {
    Cli.Ended ended = cli.run("exec", box.id(), "nosuch");

    assertEquals(125, ended.code());
    assertTrue(ended.stderr().contains("nosuch"), ended.stderr());
    assertEquals(125, cli.run("exec", "sb-local-00000000000000000000", "true").code());
  }

  @Test
  void shouldRunCommandsInASession() throws IOException, InterruptedException {
    assertEquals("e2e\n", cli.run("session", "open", box.id(), "e2e").stdout());
    assertEquals(0, cli.run("exec", "--session", "e2e", box.id(), "cd /tmp; X=kept").code());
    Cli.Ended next = cli.run("exec", "--session", "e2e", box.id(), "--", "echo", "$(pwd) $X");
    assertEquals("/tmp kept\n", next.stdout());
    Cli.Ended last = cli.run("exec", "--session", "e2e", box.id(), "echo bye >&2; exit 7");
    assertEquals(7, last.code());
    assertEquals("bye\n", last.stderr());
    assertEquals(125, cli.run("exec", "--session", "e2e", box.id(), "true").code());
    assertEquals("e2e\n", cli.run("session", "close", box.id(), "e2e").stdout());
  }

  @Test
  void shouldKillACommandAtItsTimeout() throws IOException, InterruptedException {
    Cli.Ended ended = cli.run("exec", box.id(), "--timeout", "500ms", "--", "sleep", "1000");

    assertEquals(137, ended.code());
    assertTrue(ended.stderr().contains("COMMAND_TIMEOUT"), ended.stderr());
  }

  @Test
  void shouldSayThatTheSandboxWasRemoved() throws IOException, InterruptedException {
    SandboxHandle gone = platform.box();
    Process process = cli.start("exec", gone.id(), "sh", "-c", "echo ready; sleep 1000");
    assertEquals(6, process.getInputStream().readNBytes(6).length);
    gone.close();

    Cli.Ended ended = Cli.ended(process, new ByteArrayInputStream(new byte[0]));

    assertEquals(125, ended.code());
    assertTrue(ended.stderr().contains("killed: SANDBOX_DELETED"), ended.stderr());
    assertTrue(ended.stderr().contains("exec --id "), ended.stderr());
  }

  @Test
  void shouldSayThatTheOutputCannotBeWritten() throws IOException, InterruptedException {
    Process process = cli.startInto(new File("/dev/full"), "exec", box.id(), "yes", "full");

    Cli.Ended ended = Cli.ended(process, new ByteArrayInputStream(new byte[0]));

    assertEquals(125, ended.code());
    assertTrue(ended.stderr().contains("cannot be written: No space left"), ended.stderr());
    assertFalse(box.run("ps -o args").stdoutText().contains("yes full"));
  }

  @Test
  void shouldPassLongOutputThroughUnchanged() throws IOException, InterruptedException {
    Cli.Ended ended = cli.run("exec", box.id(), "seq", "1", "5000000");

    assertEquals(
        "cb55d986df9aa5351f8c3a05b268138f63a593a742348ff4074656136b7071da", ended.stdoutSha256());
    assertEquals(0, ended.code());
  }

  @Test
  void shouldPassStdinOnOnlyWhenAsked() throws IOException, InterruptedException {
    byte[] bytes = new byte[20_000_000];
    new Random(3).nextBytes(bytes);

    Cli.Ended asked = cli.run(new ByteArrayInputStream(bytes), "exec", "-i", box.id(), "cat");
    Cli.Ended not = cli.run(new ByteArrayInputStream(bytes), "exec", box.id(), "cat");

    assertEquals(HexFormat.of().formatHex(Cli.sha256().digest(bytes)), asked.stdoutSha256());
    assertEquals("", not.stdout());
    assertEquals(0, not.code());
  }

  @Test
  void shouldPassCtrlCOnToTheCommand() throws IOException, InterruptedException {
    Process process =
        cli.start(
            "exec",
            box.id(),
            "sh",
            "-c",
            "trap 'exit 33' INT; echo ready; while :; do sleep 0.1; done");
    byte[] ready = process.getInputStream().readNBytes(6);
    assertEquals("ready\n", new String(ready, StandardCharsets.US_ASCII));

    assertTrue(
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
            .start()
            .waitFor(10, TimeUnit.SECONDS));

    assertEquals(33, Cli.ended(process, new ByteArrayInputStream(new byte[0])).code());
  }

  @Test
  void shouldOpenAShellInATerminalOfTheCallersSize() throws IOException, InterruptedException {
    Cli.Ended ended = cli.type("stty size; tty; exit 9\n", "sh", box.id());

    assertTrue(ended.stdout().contains("33 99"), ended.stdout());
    assertTrue(ended.stdout().contains("/dev/pts/"), ended.stdout());
    assertEquals(9, ended.code());
  }

  @Test
  void shouldRefuseASecondServerOnTheSameData() throws IOException, InterruptedException {
    Cli.Ended ended = cli.run("up", "--listen", "127.0.0.1:0");

    assertEquals(1, ended.code());
    assertTrue(ended.stderr().contains("in use"), ended.stderr());
  }

  @Test
  void shouldComeUpOnFreshDataAndEndWithZeroOnSigterm() throws IOException, InterruptedException {
    Path data = directory.resolve("data");
    Process process =
        cli.start("up", "--data", data.toString(), "--listen", "127.0.0.1:0", "-o", "json");
    try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
      assertTrue(lines.readLine().startsWith("{\"url\":\"http://127.0.0.1:"));
      process.destroy();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    }

    assertEquals(0, process.exitValue());
  }

  @Test
  void shouldRunTheDemo() throws IOException, InterruptedException {
    Path data = directory.resolve("demo-data");

    Cli.Ended ended =
        cli.run(
            "demo",
            "--data",
            data.toString(),
            "-o",
            "json",
            "--environment",
            "busybox",
            "--sandboxes",
            "20",
            "--commands",
            "100");

    assertEquals(0, ended.code(), ended.stderr());
    assertTrue(ended.stdout().contains("\"ok\":true,\"sandboxes\":20"), ended.stdout());
    assertTrue(ended.stdout().contains("\"commands\":100"), ended.stdout());
    assertTrue(ended.stdout().contains("\"isolated\":20"), ended.stdout());
  }
}
