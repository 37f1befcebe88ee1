// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.top;

import dev.sandgate.cli.output.Names;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.cli.output.Table;
import dev.sandgate.proto.v1.Admission;
import dev.sandgate.proto.v1.Backend;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.SandboxPool;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A view as lines of text. */
final class Frame {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());
  private static final List<String> NODES =
      List.of("NODE", "RUNNING", "PAUSED", "CPU", "MEMORY", "AVAILABLE", "PRESSURE", "POOL");
  private static final List<String> CLASSES =
      List.of("CLASS", "RUNNING", "PAUSED", "CPU", "MEMORY");
  private static final List<String> SANDBOXES =
      List.of("SANDBOX", "STATE", "CLASS", "CPU%", "MEMORY", "READ", "WRITTEN", "AGE");

  private Frame() {}

  static List<String> of(View view) {
    List<String> lines = new ArrayList<>();
    Figures all = Figures.of(view.living());
    lines.add(
        "sandgate top, %s: %d nodes, %d sandboxes, %s cores, %s"
            .formatted(
                TIME.format(view.time()),
                view.nodes().size(),
                view.living().size(),
                cores(all.cpuMillis()),
                Sizes.show(all.memoryBytes())));
    lines.add("");
    lines.addAll(Table.format(NODES, nodes(view)));
    lines.add("");
    lines.addAll(Table.format(CLASSES, classes(view)));
    lines.add("");
    lines.addAll(Table.format(SANDBOXES, view.busiest().stream().map(Frame::sandbox).toList()));
    return lines;
  }

  private static List<List<String>> nodes(View view) {
    Map<String, List<Meter>> byNode = view.byNode();
    return view.nodes().stream()
        .map(node -> node(node, Figures.of(byNode.getOrDefault(node.getNodeId(), List.of()))))
        .toList();
  }

  private static List<String> node(Node node, Figures figures) {
    if (!node.getReachable()) {
      return List.of(node.getNodeId(), "unreachable", "-", "-", "-", "-", "-", "-");
    }
    Admission room = node.getAdmission();
    return List.of(
        node.getNodeId(),
        Long.toString(figures.running()),
        Long.toString(figures.paused()),
        cores(figures.cpuMillis()) + "/" + cores(room.getCpuMillis()),
        Sizes.show(figures.memoryBytes()),
        Sizes.show(room.getMemoryAvailableBytes()) + "/" + Sizes.show(room.getMemoryBytes()),
        "%s/%s/%s"
            .formatted(
                percent(room.getCpuPressure()),
                percent(room.getMemoryPressure()),
                percent(room.getIoPressure())),
        pools(node));
  }

  private static String pools(Node node) {
    List<String> pools =
        node.getBackendsList().stream()
            .filter(Backend::hasSandboxPool)
            .map(backend -> pool(backend.getName(), backend.getSandboxPool()))
            .toList();
    return pools.isEmpty() ? "-" : String.join(" ", pools);
  }

  private static String pool(String name, SandboxPool pool) {
    long asked = pool.getHits() + pool.getMisses();
    String hits = asked == 0 ? "-" : Math.round(100.0 * pool.getHits() / asked) + "%";
    return "%s:%s,%d/%d".formatted(name, hits, pool.getAvailable(), pool.getWanted());
  }

  private static List<List<String>> classes(View view) {
    return view.living().stream()
        .collect(
            Collectors.groupingBy(
                meter -> className(meter.getQosClass()), TreeMap::new, Collectors.toList()))
        .entrySet()
        .stream()
        .map(entry -> aClass(entry.getKey(), Figures.of(entry.getValue())))
        .toList();
  }

  private static List<String> aClass(String name, Figures figures) {
    return List.of(
        name,
        Long.toString(figures.running()),
        Long.toString(figures.paused()),
        cores(figures.cpuMillis()),
        Sizes.show(figures.memoryBytes()));
  }

  static String className(QosClass qosClass) {
    return qosClass == QosClass.QOS_CLASS_LATENCY_SENSITIVE ? "latency_sensitive" : "best_effort";
  }

  private static List<String> sandbox(Meter meter) {
    return List.of(
        meter.getKey(),
        Names.of(meter.getState()),
        className(meter.getQosClass()),
        String.format(Locale.ROOT, "%.1f", meter.getCpuMillisNow() / 10.0),
        Sizes.show(meter.getMemoryBytesNow()),
        meter.hasReadBytes() ? Sizes.show(meter.getReadBytes()) : "-",
        meter.hasWrittenBytes() ? Sizes.show(meter.getWrittenBytes()) : "-",
        Sizes.show(Duration.ofMillis(meter.getWallMillis())));
  }

  private static String cores(long millis) {
    return String.format(Locale.ROOT, "%.2f", millis / 1e3);
  }

  private static String percent(double measured) {
    return measured < 0 ? "-" : Long.toString(Math.round(measured));
  }
}
