// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.proto.v1.SandboxSpec;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code usage} shows of a real node, through its gateway. */
@Tag("root")
final class UsageCommandTest {

  private Platform platform;
  private CommandRun command;

  @BeforeEach
  void begin() throws IOException {
    platform = new Platform(Map.of("node.metering-period-ms", "200"));
    command = new CommandRun(platform);
  }

  @AfterEach
  void end() throws IOException {
    platform.close();
  }

  private SandboxHandle box(String rollout) {
    SandboxSpec spec =
        SandboxSpec.newBuilder().setEnvironment("busybox").putLabels("rollout", rollout).build();
    return platform.sandgate().sandboxes().create(spec).await().atMost(Platform.LIMIT);
  }

  private JsonNode json(String... arguments) throws IOException {
    return new ObjectMapper().readTree(command.done(arguments));
  }

  private static void burn(SandboxHandle box) {
    box.run(
        "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; dd if=/dev/zero of=/tmp/a bs=1M count=2");
  }

  @Test
  void shouldShowWhatEachUsedAndTheTotal() throws IOException {
    try (SandboxHandle living = box("r1")) {
      burn(living);
      SandboxHandle ended = box("r1");
      burn(ended);
      ended.close();
      JsonNode shown = json("usage", living.id(), ended.id(), "-o", "json");
      assertEquals(2, shown.get("meters").size());
      long sum = 0;
      for (JsonNode meter : shown.get("meters")) {
        assertTrue(meter.get("cpu_micros").asLong() > 50_000, meter::toString);
        assertTrue(meter.get("written_bytes").asLong() >= 2 << 20, meter::toString);
        assertEquals(0, meter.get("incomplete").asInt());
        sum += meter.get("cpu_micros").asLong();
      }
      assertEquals(sum, shown.get("total").get("cpu_micros").asLong());
      String table = command.done("usage");
      assertTrue(
          table.lines().anyMatch(line -> line.matches(living.id() + " +RUNNING .*GiB-s.*")), table);
      assertTrue(
          table.lines().anyMatch(line -> line.matches(ended.id() + " +TERMINATED .*")), table);
      assertTrue(table.lines().anyMatch(line -> line.matches("total +2 .*")), table);
    }
  }

  @Test
  void shouldAddUpByRolloutClassNodeAndAnyLabel() throws IOException {
    try (SandboxHandle one = box("r1");
        SandboxHandle two = box("r2")) {
      burn(one);
      burn(two);
      box("r2").close();
      JsonNode shown = json("usage", "--by", "rollout", "-o", "json").get("meters");
      assertEquals(2, shown.size());
      assertEquals("r2", shown.get(1).get("key").asText());
      assertEquals(2, shown.get(1).get("sandboxes").asInt());
      assertEquals(1, shown.get(1).get("living").asInt());
      JsonNode same = json("usage", "--by", "label:rollout", "-o", "json").get("meters");
      assertEquals(shown.findValuesAsText("key"), same.findValuesAsText("key"));
      String table = command.done("usage", "--by", "class", "-l", "rollout=r2", "--living");
      assertTrue(table.lines().anyMatch(line -> line.matches("best_effort +1 .*")), table);
      table = command.done("usage", "--by", "node");
      assertTrue(table.startsWith("NODE"), table);
      assertTrue(table.lines().anyMatch(line -> line.matches("total +3 .*")), table);
    }
  }

  @Test
  void shouldNameWhatIsWrong() {
    assertEquals(2, command.run("usage", "--by", "colour"));
    assertTrue(command.err().contains("label:KEY"), command.err());
    assertEquals(1, command.run("usage", "sb-local-nothing"));
    assertTrue(command.err().contains("sandbox"), command.err());
  }
}
