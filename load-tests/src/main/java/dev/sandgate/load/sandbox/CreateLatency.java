// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.tool.Tools;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** From the create call to the answer of the first command, on five layers with every namespace. */
public final class CreateLatency implements LoadScenario {

  private static final int CREATES = 100;
  private static final int WARMUP_ROUNDS = 1;
  private static final int LEAST_WARMUPS = 20;
  private static final int MOST_WARMUPS = 40;
  private static final double STILL_FASTER = 0.98;
  private static final int SETTLED = 3;

  @Override
  public String name() {
    return "create";
  }

  @Override
  public String goal() {
    return "create call to first command answered, 5 layers, node API: at most 0.7x crun run";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    try (Platform platform = Platform.start()) {
      Peers peers = platform.peers(tools);
      report(compare(arguments, platform, peers, findings), findings);
    }
    findings.note(
        "sandboxes are made cold; from a pool: not run, there is no pool in this version");
    findings.must("create_vs_crun_run", 0.7);
    return findings.report();
  }

  private static Comparison compare(
      LoadArguments arguments, Platform platform, Peers peers, Findings findings) throws Exception {
    int count = arguments.count().orElse(CREATES);
    warmUp(platform, count, arguments.progress());
    List<Subject> subjects = new ArrayList<>();
    subjects.add(() -> create(platform, count));
    if (peers.hasCrun(findings)) {
      subjects.add(Subject.of("crun_run", () -> peers.crunRun(count)));
    }
    if (peers.hasBwrap(findings)) {
      subjects.add(Subject.of("bwrap", () -> peers.bwrapRun(count)));
    }
    Comparison.Plan plan = new Comparison.Plan(WARMUP_ROUNDS, arguments.rounds());
    return Comparison.alternate(plan, subjects, arguments.progress());
  }

  /**
   * Until it gets no faster: a node serves for days, its code is compiled. There are plateaus on the way, so it takes some
   * rounds at least.
   */
  private static void warmUp(Platform platform, int count, Consumer<String> progress) {
    double best = Double.MAX_VALUE;
    int since = 0;
    for (int i = 0; i < MOST_WARMUPS && (i < LEAST_WARMUPS || since < SETTLED); i++) {
      double median = Objects.requireNonNull(create(platform, count).get("create")).median();
      progress.accept("warm-up of the node: create median %.3f".formatted(median));
      since = median < best * STILL_FASTER ? 0 : since + 1;
      best = Math.min(best, median);
    }
  }

  private static Map<String, Samples> create(Platform platform, int count) {
    Timing answered = new Timing();
    Timing made = new Timing();
    Timing removed = new Timing();
    Timing whole = new Timing();
    for (int i = 0; i < count; i++) {
      List.of(answered, made, whole).forEach(Timing::start);
      SandboxHandle sandbox = platform.create();
      made.stop();
      Commands.run(sandbox);
      answered.stop();
      removed.start();
      platform.delete(List.of(sandbox));
      removed.stop();
      whole.stop();
    }
    return Map.of(
        "create", answered.samples(),
        "create_call", made.samples(),
        "delete", removed.samples(),
        "create_and_delete", whole.samples());
  }

  private static void report(Comparison comparison, Findings findings) {
    for (String peer : List.of("crun_run", "bwrap")) {
      if (comparison.has(peer)) {
        findings.ratio("create_vs_" + peer, comparison.ratios("create", peer, Samples::median));
        findings.ratio(
            "create_and_delete_vs_" + peer,
            comparison.ratios("create_and_delete", peer, Samples::median));
        findings.latency(peer, comparison.all(peer));
      }
    }
    for (String part : List.of("create", "create_call", "delete", "create_and_delete")) {
      findings.latency(part, comparison.all(part));
    }
  }
}
