// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.SandboxHandle;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a command does in its sandbox when the process that runs it is told to end, or is read no more. */
@Tag("root")
final class SignalsEndToEndTest {

  private static Platform platform;
  private static Cli cli;
  private static SandboxHandle box;

  @TempDir private Path directory;

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

  @ParameterizedTest
  @CsvSource({"INT,130,oci-archive:", "TERM,143,oci:"})
  void shouldLeaveNothingOfAnExportBeside(String signal, int code, String kind) throws Exception {
    Path tree = Files.createDirectories(directory.resolve("tree"));
    try (RandomAccessFile file = new RandomAccessFile(tree.resolve("large").toFile(), "rw")) {
      file.setLength(256L << 20);
    }
    String name = "large" + code;
    cli.run("env", "import", name, "--kind", "toolkit", "--dir", tree.toString());
    Path out = Files.createDirectory(directory.resolve("out"));
    Process export = cli.start("env", "export", name, kind + out.resolve("image"));
    awaitThat(() -> bytes(out) > 1 << 20, "the export begins in " + out);

    send(signal, export.pid());

    Cli.Ended ended = Cli.ended(export, InputStream.nullInputStream());
    assertEquals(code, ended.code(), ended.stderr());
    assertEquals(List.of(), names(out));
    assertEquals(0, cli.run("env", "rm", name).code());
  }

  @Test
  void shouldLeaveNothingOfALookAtThisHost() throws Exception {
    Path own = Files.createDirectory(directory.resolve("tmp"));
    List<String> words = Cli.words("doctor", "--local");
    words.add(words.indexOf("-cp"), "-Djava.io.tmpdir=" + own);
    Process doctor = new ProcessBuilder(words).start();
    awaitThat(() -> names(own).stream().anyMatch(name -> name.startsWith("sandgate-")), "it looks");

    doctor.toHandle().destroy();

    Cli.Ended ended = Cli.ended(doctor, InputStream.nullInputStream());
    assertTrue(List.of(0, 143).contains(ended.code()), ended.toString());
    assertEquals(
        List.of(), names(own).stream().filter(name -> name.startsWith("sandgate-")).toList());
  }

  private static long bytes(Path directory) {
    try (Stream<Path> entries = Files.walk(directory)) {
      return entries.mapToLong(entry -> entry.toFile().length()).sum();
    } catch (IOException | UncheckedIOException vanished) {
      return 0;
    }
  }

  private static List<String> names(Path directory) {
    return List.of(directory.toFile().list());
  }

  private static void awaitThat(BooleanSupplier happened, String what) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!happened.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
    }
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
