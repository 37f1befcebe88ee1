// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Trajectories that are run again, and files that are traced to the command that changed them. */
@Tag("root")
final class ReplayTest {

  private static Platform platform;
  private static CommandRun command;

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
    command = new CommandRun(platform);
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private static SandboxHandle recorded() {
    SandboxHandle box = platform.box();
    box.run("mkdir -p work && echo one > work/a && chmod 640 work/a");
    box.run("echo two >> work/a; ln -s a work/link; exit 3");
    box.run("rm /etc/hostname /etc/passwd 2>/dev/null; echo $HOSTNAME > work/host");
    return box;
  }

  @Test
  void shouldFindTheSameInAFreshSandboxAndLeaveNothing() {
    try (SandboxHandle box = recorded()) {
      List<String> before = platform.sandboxes();
      String shown = command.done("trajectory", "replay", box.id());
      assertTrue(shown.endsWith("SAME\n"), shown);
      assertEquals(4, shown.lines().filter(line -> !line.isBlank()).count() - 1, shown);
      assertEquals(before, platform.sandboxes());
    }
  }

  @Test
  void shouldShowWhatDiffersAndKeepTheFreshSandbox() throws IOException {
    try (SandboxHandle box = platform.box()) {
      box.run("cat /proc/sys/kernel/random/uuid > id; echo same > same");
      box.run("[ -e /tmp/marker ]; code=$?; touch /tmp/marker; exit $code");
      box.files()
          .write("/home/user/by-api", "x".getBytes(StandardCharsets.UTF_8))
          .await()
          .indefinitely();
      assertEquals(1, command.run("trajectory", "replay", box.id(), "--keep", "-o", "json"));
      JsonNode verdict = new ObjectMapper().readTree(command.out());
      assertEquals("DIFFERENT", verdict.get("verdict").asText(), command.out());
      List<String> paths = verdict.get("differences").findValuesAsText("path");
      assertEquals(List.of("/home/user/by-api", "/home/user/id"), paths, command.out());
      String kept = verdict.get("kept").asText();
      assertTrue(platform.sandboxes().contains(kept));
      assertEquals(
          "same\n", platform.sandgate().sandboxes().handle(kept).run("cat same").stdoutText());
    }
  }

  @Test
  void shouldSayWhatCannotBeReplayed() throws IOException {
    try (SandboxHandle box = platform.box()) {
      box.execs()
          .run(Execs.shell("cat").setStdin(true).build(), new byte[] {65})
          .await()
          .indefinitely();
      box.session().run("cd /tmp");
      box.run("true");
      assertEquals(1, command.run("trajectory", "replay", box.id(), "-o", "json"));
      JsonNode verdict = new ObjectMapper().readTree(command.out());
      assertEquals("INCOMPLETE", verdict.get("verdict").asText(), command.out());
      assertEquals(
          List.of("STDIN", "SESSION", ""), verdict.get("commands").findValuesAsText("skipped"));
      assertEquals("0", verdict.get("commands").get(2).get("replayed").asText());
    }
  }

  @Test
  void shouldReplayOnlyWhatWasDoneSinceTheReset() throws IOException {
    try (SandboxHandle box = platform.box()) {
      box.run("echo gone > a");
      box.reset().await().indefinitely();
      box.run("echo here > b");
      assertEquals(1, command.run("trajectory", "replay", box.id(), "-o", "json"));
      JsonNode verdict = new ObjectMapper().readTree(command.out());
      assertEquals("INCOMPLETE", verdict.get("verdict").asText(), command.out());
      assertEquals(List.of("RESET", ""), verdict.get("commands").findValuesAsText("skipped"));
      assertTrue(verdict.get("changes_compared").asBoolean(), command.out());
    }
  }

  @Test
  void shouldSayThatTheSandboxIsNotKnown() {
    assertEquals(1, command.run("trajectory", "replay", "sb-local-0000000000000000"));
    assertTrue(command.err().contains("nothing can be replayed"), command.err());
  }

  @Test
  void shouldTraceEachChangeToItsCommand() throws IOException {
    try (SandboxHandle box = platform.box()) {
      change(box, "first", "echo 1 > a; echo 1 > b");
      change(box, "second", "echo 22 > a; rm b; mkdir c");
      change(
          box, "many", "cd c; i=0; while [ $i -lt 3000 ]; do : > file-number-$i; i=$((i+1)); done");
      String table = command.done("trajectory", box.id(), "--changes");
      assertTrue(
          table.lines().anyMatch(line -> line.matches("\\d+ +first +ADDED +/home/user/a")), table);
      assertTrue(
          table.lines().anyMatch(line -> line.matches("\\d+ +second +MODIFIED +/home/user/a")),
          table);
      assertTrue(
          table.lines().anyMatch(line -> line.matches("\\d+ +second +REMOVED +/home/user/b")),
          table);
      assertTrue(
          table.lines().anyMatch(line -> line.matches("\\d+ +many +TRUNCATED +\\d+ more")), table);
      JsonNode many = new ObjectMapper().readTree(lines(box).getLast()).get("fs_changes");
      assertEquals(3_000, many.get("added").asInt());
      assertTrue(many.get("truncated").asBoolean());
      assertTrue(many.get("changes").size() > 500 && many.get("changes").size() < 3_000);
      assertFalse(lines(box).getFirst().contains("file-number"));
    }
  }

  private List<String> lines(SandboxHandle box) {
    return command.done("trajectory", box.id(), "-o", "json").lines().toList();
  }

  private void change(SandboxHandle box, String id, String script) throws IOException {
    String told =
        command.done(
            "-o", "json", "exec", box.id(), "--id", id, "--changes", "--", "sh", "-c", script);
    assertTrue(new ObjectMapper().readTree(told).get("fs_changes").get("added").asInt() > 0, told);
  }
}
