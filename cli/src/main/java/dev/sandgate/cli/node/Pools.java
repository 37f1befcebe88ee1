// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.node;

import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Json;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Backend;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.SandboxPool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the backends of nodes made ahead, as a table and as JSON. */
final class Pools {

  private static final List<String> HEADER =
      List.of(
          "NODE",
          "POOL",
          "HITS",
          "MISSES",
          "RATE",
          "AVAILABLE",
          "MADE",
          "DIRTY",
          "MEMORY",
          "P50",
          "P99");
  private static final double PERCENT = 100;

  private Pools() {}

  static void show(Console console, List<Node> nodes) {
    List<List<String>> rows = new ArrayList<>();
    for (Node node : nodes) {
      of(node).forEach(backend -> rows.add(row(node, backend)));
    }
    if (!rows.isEmpty()) {
      console.table(HEADER, rows);
    }
  }

  static Map<String, Object> shown(Node node) {
    Map<String, Object> pools = new LinkedHashMap<>();
    of(node)
        .forEach(
            backend ->
                pools.put(backend.getName(), Json.of(List.of(backend.getSandboxPool())).get(0)));
    return pools;
  }

  private static List<Backend> of(Node node) {
    return node.getBackendsList().stream().filter(Backend::hasSandboxPool).toList();
  }

  private static List<String> row(Node node, Backend backend) {
    SandboxPool pool = backend.getSandboxPool();
    return List.of(
        node.getNodeId(),
        backend.getName(),
        Long.toString(pool.getHits()),
        Long.toString(pool.getMisses()),
        rate(pool),
        "%d/%d".formatted(pool.getAvailable(), pool.getWanted()),
        Long.toString(pool.getMade()),
        Long.toString(pool.getDirty()),
        Sizes.show(pool.getMemoryBytes()),
        millis(pool.getActivationP50Micros()),
        millis(pool.getActivationP99Micros()));
  }

  private static String rate(SandboxPool pool) {
    long all = pool.getHits() + pool.getMisses();
    return all == 0 ? "-" : String.format(Locale.ROOT, "%.0f%%", PERCENT * pool.getHits() / all);
  }

  private static String millis(long micros) {
    return micros == 0 ? "-" : String.format(Locale.ROOT, "%.2f", micros / 1_000.0);
  }
}
