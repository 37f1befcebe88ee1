// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.top;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Json;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.cli.terminal.Interruption;
import dev.sandgate.cli.terminal.Terminal;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows nodes and their busiest sandboxes, again and again. */
@Command(
    name = "top",
    description = {
      "Show what nodes, classes and the busiest sandboxes use now.",
      "On a terminal it is shown again every second until q is pressed, elsewhere once."
    },
    footer = {
      "",
      "CPU is cores that sandboxes use, of those that the node has, MEMORY what they hold, AVAILABLE memory that is free of all",
      "there is, PRESSURE in how much of the last ten seconds a task waited for cpu/memory/disk, percent, POOL what backends made",
      "ahead: share of creates that found one, those that wait now of those that are wanted.",
      "The sandboxes shown are measured now, the sums were within the last ten seconds or so. CPU% is of one core.",
      "With --output json: one object a line, once, or again and again when --interval is given."
    })
public final class TopCommand extends Work {

  private static final Duration SECOND = Duration.ofSeconds(1);

  @Option(names = "--once", description = "Show it once.")
  private boolean once;

  @Option(names = "--interval", paramLabel = "TIME", description = "How often. Default: 1s.")
  private @Nullable String interval;

  @Option(
      names = "--sort",
      paramLabel = "WHAT",
      defaultValue = "cpu",
      description = "Which sandboxes come first: cpu, memory or age. Default: cpu.")
  private String sort = "cpu";

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "At most so many sandboxes, 0 to 100. Default: 50.")
  private int limit;

  @Override
  public Integer call() throws IOException {
    if (limit < 0 || limit > 100) {
      throw CommandFailure.usage("--limit: " + limit + " is out of range, give 0 to 100");
    }
    Duration wait = interval == null ? SECOND : Sizes.time(interval);
    try (Sandgate sandgate = global().connect()) {
      if (console().json()) {
        return once || interval == null
            ? print(sandgate)
            : Interruption.ends(() -> stream(sandgate, wait));
      }
      return once || !Terminal.present()
          ? print(sandgate)
          : Interruption.ends(() -> show(sandgate, wait));
    }
  }

  private View view(Sandgate sandgate) {
    return View.of(sandgate, Order.of(sort), limit);
  }

  private int print(Sandgate sandgate) {
    View view = view(sandgate);
    if (console().json()) {
      console().json(json(view));
    } else {
      Frame.of(view).forEach(console()::line);
    }
    return exitCode(view);
  }

  private int stream(Sandgate sandgate, Duration wait) {
    int code = print(sandgate);
    while (rested(wait)) {
      code = print(sandgate);
    }
    return code;
  }

  private static boolean rested(Duration wait) {
    try {
      TimeUnit.NANOSECONDS.sleep(wait.toNanos());
      return true;
    } catch (InterruptedException signal) {
      return false; // what it was is known to Interruption, and there is something to close
    }
  }

  private int show(Sandgate sandgate, Duration wait) {
    try (Screen screen = new Screen(spec().commandLine().getOut())) {
      View view = view(sandgate);
      screen.draw(Frame.of(view));
      while (!screen.isLeft(wait)) {
        view = view(sandgate);
        screen.draw(Frame.of(view));
      }
      return exitCode(view);
    }
  }

  private static int exitCode(View view) {
    return view.nodes().stream().allMatch(Node::getReachable) ? ExitCode.OK : ExitCode.UNREACHABLE;
  }

  private static Map<String, Object> json(View view) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("time", view.time().toString());
    json.put("nodes", nodes(view));
    Map<String, Object> classes = new TreeMap<>();
    view.living().stream()
        .collect(Collectors.groupingBy(meter -> Frame.className(meter.getQosClass())))
        .forEach((name, meters) -> classes.put(name, Figures.of(meters).json()));
    json.put("classes", classes);
    json.put("total", Figures.of(view.living()).json());
    json.put("sandboxes", Json.of(view.busiest()));
    return json;
  }

  private static List<Map<String, Object>> nodes(View view) {
    Map<String, List<Meter>> byNode = view.byNode();
    List<Map<String, Object>> nodes = new ArrayList<>();
    for (Node node : view.nodes()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("node_id", node.getNodeId());
      shown.put("reachable", node.getReachable());
      shown.putAll(Figures.of(byNode.getOrDefault(node.getNodeId(), List.of())).json());
      if (node.hasAdmission()) {
        shown.put("admission", Json.of(node.getAdmission()));
      }
      Map<String, Object> pools = new LinkedHashMap<>();
      node.getBackendsList().stream()
          .filter(backend -> backend.hasSandboxPool())
          .forEach(backend -> pools.put(backend.getName(), Json.of(backend.getSandboxPool())));
      shown.put("sandbox_pools", pools);
      nodes.add(shown);
    }
    return nodes;
  }
}
