// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.SandgateCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The environment commands beyond import, against the real platform. */
@Tag("root")
final class EnvironmentCommandsTest {

  private static Platform platform;

  @TempDir private Path directory;
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
    String[] where = {"--url", platform.url(), "--key", platform.key()};
    return line.execute(
        Stream.concat(Stream.of(where), Stream.of(arguments)).toArray(String[]::new));
  }

  private String done(String... arguments) {
    assertEquals(0, run(arguments), err.toString());
    return out.toString();
  }

  private void tool(String version) throws IOException {
    Path tree = directory.resolve("tool");
    Files.writeString(Files.createDirectories(tree.resolve("opt")).resolve("version"), version);
    done(
        "env",
        "import",
        "tool",
        "--kind",
        "toolkit",
        "--on",
        "busybox",
        "--dir",
        tree.toString(),
        "--replace");
  }

  private String version(String... create) {
    String id = done(create).strip();
    String told = done("exec", id, "-o", "json", "--", "cat", "/opt/version");
    done("rm", id);
    return told.replaceAll("(?s).*\"stdout\":\"(\\w*)\".*", "$1");
  }

  @Test
  void shouldLockANameForAJobAndTellItsHistory() throws IOException {
    tool("1");
    String old = done("env", "lock", "train", "tool").strip();
    assertTrue(old.matches("tool:latest@sha256:[0-9a-f]{64}"), old);
    tool("2");
    assertEquals("1", version("create", "tool", "--label", "job=train"));
    assertEquals("2", version("create", "tool", "--label", "job=other"));
    assertEquals("1", version("create", old));
    assertTrue(done("env", "locks").contains("train"), out.toString());
    assertTrue(done("env", "inspect", old).matches("(?s).*locked by +train\\n.*"), out.toString());
    assertTrue(out.toString().contains("2 times, by 1 jobs"), out.toString());
    String all = done("-o", "json", "env", "ls");
    assertTrue(all.contains("\"created\"") && all.contains("\"weeks\""), all);
    String history = done("env", "history", "tool");
    assertEquals(3, history.lines().count(), history);
    assertTrue(history.contains(old.substring(old.indexOf('@') + 1)), history);
    assertEquals("1\n", done("env", "unlock", "train"));
    assertNotEquals("1", version("create", "tool", "--label", "job=train"));
    assertEquals(1, run("env", "history", "nothing"));
    assertEquals(1, run("env", "lock", "train", "nothing"));
    done("env", "rm", "tool");
  }
}
