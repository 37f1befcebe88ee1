// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.SandgateCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The snapshot commands and reset, against the real platform. */
@Tag("root")
final class SnapshotCommandsTest {

  private static Platform platform;

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
    return runAs(platform.key(), arguments);
  }

  private int runAs(String key, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = SandgateCommand.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    String[] where = {"--url", platform.url(), "--key", key, "--data", platform.data().toString()};
    return line.execute(
        Stream.concat(Stream.of(where), Stream.of(arguments)).toArray(String[]::new));
  }

  private String done(String... arguments) {
    assertEquals(0, run(arguments), err.toString());
    return out.toString();
  }

  private String says(String id, String line) {
    return done("exec", id, "-o", "json", "--", "sh", "-c", line);
  }

  @Test
  void shouldSealShowUseAndRemoveASnapshot() {
    String source = done("create", "busybox").strip();
    done("exec", source, "--", "sh", "-c", "echo kept > /home/user/f; echo gone > /tmp/t");
    String told = done("snapshot", "create", source, "snap:v1", "--scrub", "/home/user/.env");
    assertTrue(told.startsWith("snap:v1  ") && told.contains("stood still"), told);
    assertEquals(1, run("snapshot", "create", source, "snap:v1"));
    assertTrue(err.toString().contains("ALREADY_EXISTS"), err.toString());
    assertTrue(done("snapshot", "ls").contains(source));
    assertTrue(done("env", "ls").contains("snap"));
    String all = done("snapshot", "inspect", "snap:v1");
    assertTrue(all.contains("manifest") && all.contains("busybox:latest"), all);
    assertTrue(
        done("--output", "json", "snapshot", "inspect", "snap:v1").contains("\"manifest_digest\""));

    String copy = done("create", "snap:v1").strip();
    assertTrue(
        says(copy, "cat /home/user/f; ls /tmp").contains("\"stdout\":\"kept\\n\""), out.toString());
    done("exec", copy, "--", "sh", "-c", "echo 2 > /home/user/f");
    done("snapshot", "create", copy, "snap:v2");
    String line = done("snapshot", "history", "snap:v2");
    assertTrue(line.indexOf("snap:v2") < line.indexOf("busybox:latest"), line);

    assertEquals(copy + "\n", done("reset", copy));
    assertTrue(says(copy, "cat /home/user/f").contains("\"stdout\":\"kept\\n\""), out.toString());
    assertEquals(1, run("snapshot", "rm", "snap:v1"));
    assertTrue(err.toString().contains(copy), err.toString());
    done("rm", copy, source);
    assertEquals(1, run("snapshot", "rm", "snap:v1"));
    assertTrue(err.toString().contains("snap:v2"), err.toString());
    done("snapshot", "rm", "snap:v2");
    done("snapshot", "rm", "snap:v1");
    assertEquals(1, run("snapshot", "inspect", "snap:v1"));
  }

  @Test
  void shouldSayWhatRunsAndSealAllTheSame() {
    String source = done("create", "busybox").strip();
    done("exec", source, "--", "sh", "-c", "echo 1 > /home/user/a");
    String id = done("exec", "--detach", source, "--", "sleep", "1000").strip();
    assertEquals(1, run("snapshot", "create", source, "busy"));
    assertTrue(err.toString().contains("command " + id), err.toString());
    done("snapshot", "create", source, "busy", "--quiesce");
    assertEquals(
        1,
        run(
            "snapshot",
            "create",
            source,
            "never",
            "--quiesce",
            "--max-entries",
            "1",
            "--keep-residue"),
        out.toString());
    done("rm", source);
    done("snapshot", "rm", "busy");
  }

  @Test
  void shouldSayThatThereIsNoSuchSandbox() {
    assertEquals(1, run("reset", "sb-local-nosuchbox"));
    assertEquals(1, run("snapshot", "create", "sb-local-nosuchbox", "x"));
  }
}
