// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.proto.v1.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code top} shows of a real node, in a terminal and elsewhere. */
@Tag("root")
final class TopCommandTest {

  private static final String ENTER = "\u001b[?1049h";
  private static final String LEAVE = "\u001b[?1049l";

  private static Platform platform;
  private static SandboxHandle busy;
  private static SandboxHandle idle;

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform(Map.of("node.metering-period-ms", "300"));
    idle = platform.box();
    busy = platform.box();
    Command spin = Command.newBuilder().setShell("while :; do :; done").build();
    ExecHandle running = busy.execs().start(spin).await().atMost(Platform.LIMIT);
    running.detach();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  /** What it shows once it has measured the busy one twice. */
  private static JsonNode busyView(String... more) throws IOException {
    CommandRun command = new CommandRun(platform);
    long deadline = System.nanoTime() + Platform.LIMIT.toNanos();
    while (true) {
      JsonNode view = json(command.done(with(List.of("top", "-o", "json"), more)));
      if (view.get("total").get("cpu_millis_now").asLong() > 300) {
        return view;
      }
      assertTrue(System.nanoTime() < deadline, view::toString);
    }
  }

  private static String[] with(List<String> first, String... more) {
    return java.util.stream.Stream.concat(first.stream(), java.util.Arrays.stream(more))
        .toArray(String[]::new);
  }

  @Test
  void shouldShowNodesClassesAndTheBusiestSandboxesAsJson() throws IOException {
    JsonNode view = busyView();
    JsonNode first = view.get("sandboxes").get(0);
    assertEquals(busy.id(), first.get("key").asText());
    assertTrue(first.get("cpu_millis_now").asLong() > 300, first::toString);
    assertEquals(2, view.get("sandboxes").size());
    assertEquals(2, view.get("nodes").get(0).get("running").asInt());
    assertTrue(view.get("nodes").get(0).get("admission").get("memory_bytes").asLong() > 0);
    assertEquals(2, view.get("classes").get("latency_sensitive").get("running").asInt());
    assertEquals(1, busyView("--limit", "1").get("sandboxes").size());
    JsonNode byAge = busyView("--sort", "age").get("sandboxes");
    assertEquals(idle.id(), byAge.get(0).get("key").asText());
  }

  @Test
  void shouldShowItOnceWhereThereIsNoTerminal() {
    String shown = new CommandRun(platform).done("top");
    assertTrue(shown.startsWith("sandgate top"), shown);
    assertTrue(shown.lines().anyMatch(line -> line.matches("local +2 +0 +[0-9.]+/.*")), shown);
    assertTrue(shown.lines().anyMatch(line -> line.matches("latency_sensitive +2 .*")), shown);
    assertTrue(shown.lines().anyMatch(line -> line.matches(busy.id() + " +RUNNING .*")), shown);
    assertFalse(shown.contains("\u001b"), shown);
  }

  @Test
  void shouldNameWhatIsWrong() {
    CommandRun command = new CommandRun(platform);
    assertEquals(2, command.run("top", "--sort", "colour"));
    assertTrue(command.err().contains("cpu, memory or age"), command.err());
    assertEquals(2, command.run("top", "--limit", "101"));
  }

  @Test
  void shouldGiveAnObjectALineUntilItIsEnded() throws Exception {
    Process top = new Cli(platform).start("top", "-o", "json", "--interval", "100ms");
    try (BufferedReader lines = top.inputReader()) {
      for (int i = 0; i < 3; i++) {
        assertEquals(2, json(lines.readLine()).get("total").get("running").asInt());
      }
      top.toHandle().destroy();
      lines.lines().forEach(line -> {});
    }
    assertEquals(143, top.waitFor());
  }

  /** Reads until something is shown. */
  private static String shownUntil(Process process, String wanted) throws IOException {
    StringBuilder shown = new StringBuilder();
    InputStreamReader reader =
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8);
    char[] part = new char[256];
    while (shown.indexOf(wanted) < 0) {
      int count = reader.read(part);
      assertTrue(count >= 0, shown::toString);
      shown.append(part, 0, count);
    }
    return shown.toString();
  }

  private static Process opened() throws IOException {
    Process top = new Cli(platform).open("top", "--interval", "200ms");
    String shown = shownUntil(top, busy.id());
    assertTrue(shown.contains(ENTER) && !shown.contains(LEAVE), shown);
    shownUntil(top, busy.id());
    return top;
  }

  @Test
  void shouldFillATerminalAgainAndAgainUntilQIsPressedAndGiveItBack() throws Exception {
    Process top = opened();
    OutputStream keys = top.getOutputStream();
    keys.write("xq".getBytes(StandardCharsets.UTF_8));
    keys.flush();
    Cli.Ended ended = Cli.ended(top, InputStream.nullInputStream());
    assertEquals(0, ended.code(), ended.toString());
    assertTrue(ended.stdout().contains(LEAVE), ended.stdout());
  }

  @Test
  void shouldGiveTheTerminalBackWhenItIsToldToEnd() throws Exception {
    Process top = opened();
    top.descendants()
        .filter(one -> one.info().command().orElse("").endsWith("java"))
        .forEach(ProcessHandle::destroy);
    Cli.Ended ended = Cli.ended(top, InputStream.nullInputStream());
    assertEquals(143, ended.code(), ended.toString());
    assertTrue(ended.stdout().contains(LEAVE), ended.stdout());
  }
}
