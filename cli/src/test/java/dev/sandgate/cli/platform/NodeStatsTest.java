// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.client.SandboxHandle;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code node stats} shows of a real node. */
@Tag("root")
final class NodeStatsTest {

  @Test
  void shouldShowHowLongCreatesAndCommandsTook() throws IOException {
    try (Platform platform = new Platform(Map.of("backend.container.pool.max", "2"))) {
      CommandRun command = new CommandRun(platform);
      assertTrue(
          command
              .done("node", "stats")
              .lines()
              .anyMatch(line -> line.matches(".*create +0 +- .*")));
      try (SandboxHandle box = platform.box()) {
        box.run("sleep 0.2");
      }
      JsonNode node = new ObjectMapper().readTree(command.done("node", "stats", "-o", "json"));
      assertTrue(node.get("reachable").asBoolean());
      JsonNode total = of(node, "exec_total");
      assertEquals(1, total.get("count").asInt());
      assertTrue(total.get("p50_micros").asLong() >= 198_000, total::toString);
      assertEquals(1, of(node, "create").get("count").asInt());
      assertTrue(of(node, "create").get("max_micros").asLong() > 500, node::toString);
      JsonNode pool = node.get("sandbox_pools").get("container");
      assertEquals(1, pool.get("hits").asInt() + pool.get("misses").asInt(), pool::toString);
      String table = command.done("node", "stats");
      assertTrue(table.lines().anyMatch(line -> line.matches(".*container +[01] +[01] .*")), table);
      assertTrue(table.lines().anyMatch(line -> line.matches(".*exec-start +1 +\\d.*")), table);
    }
  }

  private static JsonNode of(JsonNode node, String operation) {
    for (JsonNode latency : node.get("latencies")) {
      if (latency.get("operation").asText().equals(operation)) {
        return latency;
      }
    }
    throw new AssertionError(operation + " is not in " + node);
  }
}
