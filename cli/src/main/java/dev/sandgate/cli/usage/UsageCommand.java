// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.usage;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Json;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterPage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what sandboxes used. */
@Command(
    name = "usage",
    description = {
      "Show what sandboxes used in all their lives: over resets and pauses, and after their end.",
      "Each, or added up by rollout, job, episode or another label, by class or by node."
    },
    footer = {
      "",
      "CPU is processor time. MEMORY is memory over time: a GiB-s is a gibibyte for a second. READ and WRITTEN are bytes from and",
      "to storage, - where they are not measured. ALIVE is how long sandboxes took commands, PAUSED how much of that they stood",
      "still. Sandboxes that are named are measured now, others were within the last ten seconds or so.",
      "'incomplete' says of how many something is missing, 'estimated' for how long memory was not sampled: a node was down.",
      "'expired' are sandboxes whose records are gone; with the others they make the total. Function calls are not in it.",
      "Ends with 3 when a node cannot be reached."
    })
public final class UsageCommand extends Work {

  private static final int MOST_NAMED = 100;

  @Parameters(arity = "0..*", paramLabel = "SANDBOX", description = "Only these, at most 100.")
  private List<String> sandboxIds = List.of();

  @Option(
      names = "--by",
      paramLabel = "WHAT",
      defaultValue = "sandbox",
      description = "sandbox, rollout, job, episode, class, node or label:KEY. Default: sandbox.")
  private String by = "sandbox";

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "Only with this label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--living", description = "Only those that live.")
  private boolean living;

  @Override
  public Integer call() {
    Grouping grouping = Grouping.of(by);
    List<Meter> meters = new ArrayList<>();
    Set<String> unreachable = new LinkedHashSet<>();
    MeterPage last = MeterPage.getDefaultInstance();
    try (Sandgate sandgate = global().connect()) {
      for (MeterPage page : sandgate.meters().pages(request(grouping)).subscribe().asIterable()) {
        meters.addAll(page.getMetersList());
        unreachable.addAll(page.getUnreachableNodesList());
        last = page;
      }
    }
    show(grouping, meters, last, List.copyOf(unreachable));
    return unreachable.isEmpty() ? ExitCode.OK : ExitCode.UNREACHABLE;
  }

  private ListMetersRequest request(Grouping grouping) {
    if (sandboxIds.size() > MOST_NAMED) {
      throw CommandFailure.usage(
          "SANDBOX: give at most " + MOST_NAMED + ", or a label with --label");
    }
    return ListMetersRequest.newBuilder()
        .addAllSandboxIds(sandboxIds)
        .putAllLabels(labels)
        .setLiving(living)
        .setBy(grouping.by())
        .setLabel(grouping.label())
        .build();
  }

  private void show(
      Grouping grouping, List<Meter> meters, MeterPage last, List<String> unreachable) {
    Console console = console();
    if (console.json()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("meters", Json.of(meters));
      shown.put("total", Json.of(last.getTotal()));
      if (last.hasExpired()) {
        shown.put("expired", Json.of(last.getExpired()));
      }
      shown.put("unreachable_nodes", unreachable);
      console.json(shown);
    } else {
      UsageTable.show(console, grouping, meters, last);
    }
    unreachable.forEach(
        node ->
            console.note(
                "sandgate: node " + node + " cannot be reached, its sandboxes are missing"));
  }
}
