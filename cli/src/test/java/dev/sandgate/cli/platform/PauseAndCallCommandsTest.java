// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.SandgateCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Pauses and function calls, against the real platform. */
@Tag("root")
final class PauseAndCallCommandsTest {

  private static Platform platform;

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = SandgateCommand.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    String[] where = {
      "--url", platform.url(), "--key", platform.key(), "--data", platform.data().toString()
    };
    return line.execute(
        Stream.concat(Stream.of(where), Stream.of(arguments)).toArray(String[]::new));
  }

  private String done(String... arguments) {
    assertEquals(0, run(arguments), err.toString());
    return out.toString();
  }

  @Test
  void shouldPauseAndResumeAJob() {
    String ids = done("create", "busybox", "-n", "3", "--label", "job=paused");
    List<String> sorted = ids.lines().sorted().toList();
    assertEquals(sorted, done("pause", "-l", "job=paused").lines().sorted().toList());
    assertTrue(err.toString().contains("gave back"), err.toString());
    assertTrue(done("ls", "-l", "job=paused").contains("PAUSED"));
    assertEquals(sorted, done("resume", "-l", "job=paused").lines().sorted().toList());
    String one = sorted.getFirst();
    assertTrue(done("pause", one, "-o", "json").contains("memory_after_bytes"));
    assertTrue(done("exec", "-o", "json", one, "--", "echo", "awake").contains("awake"));
    assertTrue(done("get", one).contains("RUNNING"));
    assertEquals(1, run("pause", "-l", "job=nobody"));
    assertEquals(2, run("pause"));
    assertEquals(1, run("resume", "sb-local-gone"));
    done("rm", "-l", "job=paused");
  }

  @Test
  void shouldRunProgramsByFunctionCalls() throws IOException {
    Path source = Files.writeString(directory.resolve("p.sh"), "read n; echo $((n * 2)); exit $1");
    Path input = Files.writeString(directory.resolve("in"), "21\n");
    Path right = Files.writeString(directory.resolve("right"), "42");
    Path wrong = Files.writeString(directory.resolve("wrong"), "43");
    String[] call = {
      "call", "-e", "busybox", "shell", source.toString(), "--stdin", input.toString()
    };
    assertTrue(
        json(call, "--expect", right.toString()).contains("\"verdict\":\"accepted\""),
        out::toString);
    assertEquals(7, run(with(call, "-a", "7", "-o", "json")));
    assertTrue(out.toString().contains("\"stdout\":\"42\\n\""), out.toString());
    assertEquals(1, run(with(call, "--expect", wrong.toString(), "-o", "json")));
    assertTrue(out.toString().contains("wrong answer"), out.toString());
    assertEquals(125, run(with(call, "--gpu", "shared")));
    assertTrue(err.toString().contains("BACKEND_UNAVAILABLE"), err.toString());
    String many = done(with(call, "--repeat", "30"));
    assertEquals(30, many.lines().distinct().count(), many);
    assertTrue(many.lines().allMatch(line -> line.endsWith("accepted  42")), many);
  }

  private String json(String[] command, String... more) {
    return done(with(with(command, more), "-o", "json"));
  }

  private static String[] with(String[] command, String... more) {
    return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
  }
}
