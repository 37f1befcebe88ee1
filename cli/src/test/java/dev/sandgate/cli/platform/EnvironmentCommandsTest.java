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
import java.nio.charset.StandardCharsets;
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

  @Test
  void shouldTellWhoPublishedAnEnvironmentOrASnapshot() throws IOException {
    tool("1");
    assertTrue(done("env", "ls").lines().anyMatch(line -> line.matches("tool .* admin .*")));
    assertTrue(done("env", "inspect", "tool").matches("(?s).*owner +admin\\n.*"), out.toString());
    String id = done("create", "tool").strip();
    done("snapshot", "create", id, "sealed");
    done("rm", id);
    assertTrue(done("snapshot", "inspect", "sealed").matches("(?s).*owner +admin\\n.*"));
    assertTrue(done("-o", "json", "env", "inspect", "sealed").contains("\"owner\":\"admin\""));
    done("snapshot", "rm", "sealed");
    done("env", "rm", "tool");
  }

  @Test
  void shouldExportAnImageOrLeaveNothing() throws Exception {
    Path place = Files.createDirectories(directory.resolve("out"));
    String layout = "oci:" + place.resolve("layout") + ":v1";
    String told = done("env", "export", "busybox", layout);
    String digest = told.substring(told.indexOf("sha256:")).strip();
    assertTrue(inspected(layout).contains(digest), told);
    assertEquals(1, run("env", "export", "busybox", layout));
    assertTrue(err.toString().contains("exists"), err.toString());
    String archive = "oci-archive:" + place.resolve("image.tar");
    done("snapshot", "export", "busybox", archive);
    done("env", "import", "back", "--image", archive);
    String id = done("create", "back").strip();
    assertTrue(done("exec", id, "-o", "json", "--", "id", "-un").contains("\"user\\n\""));
    done("rm", id);
    done("env", "rm", "back");
    Path link = Files.createSymbolicLink(directory.resolve("stdout"), Path.of("/dev/null"));
    assertEquals(1, run("env", "export", "busybox", "oci-archive:" + link));
    assertTrue(Files.isSymbolicLink(link) && err.toString().contains("no regular file"), err + "");
    assertEquals(1, run("env", "export", "nothing", "oci:" + place.resolve("nothing")));
    assertEquals(1, run("env", "export", "nothing", "oci-archive:" + place.resolve("no.tar")));
    assertEquals(2, run("env", "export", "busybox", place.resolve("x").toString()));
    try (Stream<Path> left = Files.list(place)) {
      assertEquals(
          List.of("image.tar", "layout"),
          left.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  private static String inspected(String image) throws Exception {
    Process skopeo =
        new ProcessBuilder("skopeo", "inspect", image).redirectErrorStream(true).start();
    String told = new String(skopeo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, skopeo.waitFor(), told);
    return told;
  }
}
