// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pauses and function calls, against the real platform. */
@Tag("root")
final class PauseAndCallCommandsTest {

  private static Platform platform;
  private static CommandRun command;

  @TempDir Path directory;

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
    command = new CommandRun(platform);
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private int run(String... arguments) {
    return command.run(arguments);
  }

  private String done(String... arguments) {
    return command.done(arguments);
  }

  @Test
  void shouldPauseAndResumeAJob() {
    String ids = done("create", "busybox", "-n", "3", "--label", "job=paused");
    List<String> sorted = ids.lines().sorted().toList();
    assertEquals(sorted, done("pause", "-l", "job=paused").lines().sorted().toList());
    assertTrue(command.err().contains("gave back"), command.err());
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
        command::out);
    assertEquals(7, run(with(call, "-a", "7", "-o", "json")));
    assertTrue(command.out().contains("\"stdout\":\"42\\n\""), command.out());
    assertEquals(1, run(with(call, "--expect", wrong.toString(), "-o", "json")));
    assertTrue(command.out().contains("wrong answer"), command.out());
    assertEquals(125, run(with(call, "--gpu", "shared")));
    assertTrue(command.err().contains("BACKEND_UNAVAILABLE"), command.err());
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
