// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.node;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Json;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Admission;
import dev.sandgate.proto.v1.Latency;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.SharedLayers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;

/** Shows how long what nodes do takes. */
@Command(
    name = "stats",
    description = "Show how long creating sandboxes and running commands took on each node.",
    footer = {
      "",
      "Milliseconds since the node started, measured on it, to 1 %; what failed is not among them.",
      "create-in-backend is part of create; exec-total is the time of the commands themselves too.",
      "SHARES is the directory of layers that a node shares: bytes read from it on demand, in bulk and as metadata,",
      "bytes written by sharing, layers that are here as a whole + in part, and what they take on the node's disk.",
      "ASKED is what living sandboxes asked for of how much there is, AVAILABLE memory that is free and what must stay of it,",
      "PRESSURE in how much of the last ten seconds a task waited for cpu/memory/disk, percent, REFUSED creates for want of these.",
      "POOL is what a backend made ahead: creates that found one, that did not, the share of the former, those that wait now",
      "of those that are wanted, made, dirty ones, memory, milliseconds until one had become a sandbox.",
      "Ends with 3 when a node cannot be reached."
    })
final class StatsCommand extends Work {

  private static final List<String> HEADER =
      List.of("NODE", "OF", "COUNT", "P50", "P90", "P99", "MAX");

  private static final List<String> SHARED =
      List.of(
          "NODE", "SHARES", "DEMAND", "BULK", "METADATA", "WRITTEN", "LAYERS", "LOCAL", "FAILURE");

  private static final List<String> ADMISSION =
      List.of("NODE", "CPU ASKED", "MEMORY ASKED", "AVAILABLE", "PRESSURE", "REFUSED", "REFUSING");

  @Override
  public Integer call() {
    List<Node> nodes;
    try (Sandgate sandgate = global().connect()) {
      nodes = sandgate.nodes().await().indefinitely();
    }
    Console console = console();
    if (console.json()) {
      nodes.forEach(node -> console.json(shown(node)));
    } else {
      List<List<String>> rows = new ArrayList<>();
      nodes.forEach(node -> node.getLatenciesList().forEach(of -> rows.add(row(node, of))));
      console.table(HEADER, rows);
      console.table(
          ADMISSION,
          nodes.stream().filter(Node::hasAdmission).map(StatsCommand::admission).toList());
      showShared(console, nodes);
      Pools.show(console, nodes);
    }
    List<String> away =
        nodes.stream().filter(node -> !node.getReachable()).map(Node::getNodeId).toList();
    away.forEach(node -> console.note("sandgate: node " + node + " cannot be reached"));
    return away.isEmpty() ? ExitCode.OK : ExitCode.UNREACHABLE;
  }

  private static List<String> admission(Node node) {
    Admission room = node.getAdmission();
    return List.of(
        node.getNodeId(),
        String.format(
            Locale.ROOT, "%.1f/%.1f", room.getAskedCpuMillis() / 1e3, room.getCpuMillis() / 1e3),
        Sizes.show(room.getAskedMemoryBytes()) + "/" + Sizes.show(room.getMemoryBytes()),
        Sizes.show(room.getMemoryAvailableBytes()) + "/" + Sizes.show(room.getMemoryReserveBytes()),
        percent(room.getCpuPressure())
            + "/"
            + percent(room.getMemoryPressure())
            + "/"
            + percent(room.getIoPressure()),
        Long.toString(room.getRefused()),
        room.getRefusing().isEmpty() ? "-" : room.getRefusing());
  }

  private static String percent(double measured) {
    return measured < 0 ? "-" : Long.toString(Math.round(measured));
  }

  private static void showShared(Console console, List<Node> nodes) {
    List<List<String>> rows =
        nodes.stream().filter(Node::hasSharedLayers).map(StatsCommand::shared).toList();
    if (!rows.isEmpty()) {
      console.table(SHARED, rows);
    }
  }

  private static List<String> shared(Node node) {
    SharedLayers shared = node.getSharedLayers();
    return List.of(
        node.getNodeId(),
        shared.getDirectory(),
        Sizes.show(shared.getOnDemand().getBytes()),
        Sizes.show(shared.getInBulk().getBytes()),
        Sizes.show(shared.getMetadataBytes()),
        Sizes.show(shared.getWrittenBytes()),
        "%d+%d".formatted(shared.getWholeLayers(), shared.getPartialLayers()),
        Sizes.show(shared.getLocalBytes()),
        shared.getFailure().isEmpty() ? "-" : shared.getFailure());
  }

  private static Map<String, Object> shown(Node node) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("node_id", node.getNodeId());
    line.put("reachable", node.getReachable());
    line.put("sandboxes", node.getSandboxes());
    line.put("sandboxes_begun", node.getSandboxesBegun());
    line.put("sandboxes_ended", node.getSandboxesEnded());
    line.put("latencies", Json.of(node.getLatenciesList()));
    if (node.hasAdmission()) {
      line.put("admission", Json.of(List.of(node.getAdmission())).get(0));
    }
    line.put("sandbox_pools", Pools.shown(node));
    if (node.hasSharedLayers()) {
      line.put("shared_layers", Json.of(List.of(node.getSharedLayers())).get(0));
    }
    return line;
  }

  private static List<String> row(Node node, Latency latency) {
    boolean none = latency.getCount() == 0;
    return List.of(
        node.getNodeId(),
        latency.getOperation().replace('_', '-'),
        Long.toString(latency.getCount()),
        none ? "-" : millis(latency.getP50Micros()),
        none ? "-" : millis(latency.getP90Micros()),
        none ? "-" : millis(latency.getP99Micros()),
        none ? "-" : millis(latency.getMaxMicros()));
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, "%.2f", micros / 1_000.0);
  }
}
