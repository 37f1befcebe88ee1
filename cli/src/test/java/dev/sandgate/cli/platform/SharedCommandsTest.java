// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.cli.SandgateCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What one machine shares, on another, by the commands alone. */
@Tag("root")
final class SharedCommandsTest {

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Platform on, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = SandgateCommand.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    String[] where = {"--url", on.url(), "--key", on.key(), "--data", on.data().toString()};
    return line.execute(
        Stream.concat(Stream.of(where), Stream.of(arguments)).toArray(String[]::new));
  }

  private String done(Platform on, String... arguments) {
    assertEquals(0, run(on, arguments), err.toString());
    return out.toString();
  }

  private int bytesRead(Platform on, String id) throws IOException {
    String told = done(on, "exec", "-o", "json", id, "--", "sh", "-c", "cat /opt/large | wc -c");
    return Integer.parseInt(new ObjectMapper().readTree(told).get("stdout").asText().strip());
  }

  @Test
  void shouldShareUsePullAndUnshareAnEnvironment() throws IOException {
    Path tier = Files.createDirectory(directory.resolve("tier"));
    Map<String, String> sharing =
        Map.of("node.shared-layers", tier.toString(), "node.shared-layers-pull", "off");
    Path tree = Files.createDirectories(directory.resolve("tree/opt"));
    Files.write(tree.resolve("large"), new byte[5 << 20]);
    try (Platform maker = new Platform(sharing);
        Platform user = new Platform(sharing)) {
      done(
          maker,
          "env",
          "import",
          "tool",
          "--dir",
          directory.resolve("tree").toString(),
          "--kind",
          "toolkit",
          "--on",
          "busybox",
          "--share");
      assertTrue(done(user, "env", "ls").contains("tool"), out.toString());
      String id = done(user, "create", "tool").strip();
      assertEquals(5 << 20, bytesRead(user, id));
      String read = done(user, "env", "inspect", "tool");
      assertTrue(read.matches("(?s).*toolkit +sha256.*accessed: \\d+\\.\\d %.*"), read);
      String local = done(maker, "env", "inspect", "tool");
      assertTrue(local.contains("accessed: not measured"), local);
      assertFalse(local.contains(" %"), local);
      Path rubbish = Files.writeString(tier.resolve("environments/bad:v1"), "rubbish");
      assertTrue(done(user, "env", "ls").matches("(?s).*\nbad +v1 .* damaged\n.*"), out.toString());
      assertTrue(err.toString().startsWith("bad:v1: "), err.toString());
      Files.delete(rubbish);
      String stats = done(user, "node", "stats");
      assertTrue(stats.contains("SHARES") && stats.contains(tier.toString()), stats);
      assertTrue(done(user, "--output", "json", "node", "stats").contains("\"on_demand\""));
      assertTrue(done(user, "env", "pull", "tool").startsWith("tool:latest  2 layers"));
      assertEquals("tool\n", done(user, "env", "unshare", "tool"));
      assertFalse(done(user, "env", "ls").contains("tool"), out.toString());
      assertEquals(1, run(user, "env", "unshare", "tool"));
      assertTrue(err.toString().contains("NOT_FOUND"), err.toString());
      assertEquals(5 << 20, bytesRead(user, id));
      assertTrue(done(maker, "env", "share", "tool").startsWith("tool:latest"));
      done(user, "rm", id);
      collect(maker, user);
    }
  }

  /** The layer of a toolkit of which no shared name is left. */
  private void collect(Platform maker, Platform user) {
    done(user, "env", "unshare", "tool");
    assertFalse(done(maker, "env", "gc", "--shared", "--idle", "0s").contains("sha256:"));
    assertFalse(done(user, "env", "gc", "--shared").contains("sha256:"), "it is young");
    String shown = done(user, "env", "gc", "--shared", "--idle", "0s", "--dry-run");
    assertTrue(shown.contains("sha256:"), shown);
    assertEquals(shown, done(user, "env", "gc", "--shared", "--idle", "0s"));
    assertFalse(done(user, "env", "gc", "--shared", "--idle", "0s").contains("sha256:"));
  }

  @Test
  void shouldSayThatNothingIsShared() throws IOException {
    try (Platform alone = new Platform()) {
      assertEquals(1, run(alone, "env", "share", "busybox"));
      assertTrue(err.toString().contains("node.shared-layers"), err.toString());
      assertFalse(done(alone, "node", "stats").contains("SHARES"));
    }
  }
}
