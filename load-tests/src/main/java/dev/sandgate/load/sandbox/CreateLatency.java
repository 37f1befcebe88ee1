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
  private static final List<String> RATIOS =
      List.of("create", "create_and_delete", "pooled_create", "pooled_create_and_delete");
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
    return "create call to first command answered, 5 layers, node API: at most 0.7x crun run, from the pool 0.3x";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    int count = arguments.count().orElse(CREATES);
    try (Platform platform = Platform.start();
        Platform pooled = Platform.startPooled(count)) {
      Peers peers = platform.peers(tools);
      report(compare(arguments, new Both(platform, pooled), peers, findings), findings);
      PoolFigures.of(pooled.pool(), findings);
    }
    findings.note(
        "pooled_create: each round begins with as many blanks as it makes sandboxes; they are made again meanwhile");
    findings.must("create_vs_crun_run", 0.7);
    findings.must("pooled_create_vs_crun_run", 0.3);
    return findings.report();
  }

  /**
   * Two nodes.
   *
   * @param cold makes every sandbox when it is asked for
   * @param pooled has blanks made ahead
   */
  private record Both(Platform cold, Platform pooled) {}

  private static Comparison compare(
      LoadArguments arguments, Both nodes, Peers peers, Findings findings) throws Exception {
    int count = arguments.count().orElse(CREATES);
    warmUp(nodes.cold(), count, arguments.progress());
    List<Subject> subjects = new ArrayList<>();
    subjects.add(() -> create(nodes.cold(), count, ""));
    subjects.add(
        () -> {
          nodes.pooled().awaitPool();
          return create(nodes.pooled(), count, "pooled_");
        });
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
      double median = Objects.requireNonNull(create(platform, count, "").get("create")).median();
      progress.accept("warm-up of the node: create median %.3f".formatted(median));
      since = median < best * STILL_FASTER ? 0 : since + 1;
      best = Math.min(best, median);
    }
  }

  private static Map<String, Samples> create(Platform platform, int count, String prefix) {
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
        prefix + "create", answered.samples(),
        prefix + "create_call", made.samples(),
        prefix + "delete", removed.samples(),
        prefix + "create_and_delete", whole.samples());
  }

  private static void report(Comparison comparison, Findings findings) {
    for (String peer : List.of("crun_run", "bwrap")) {
      if (comparison.has(peer)) {
        for (String of : RATIOS) {
          findings.ratio(of + "_vs_" + peer, comparison.ratios(of, peer, Samples::median));
        }
        findings.latency(peer, comparison.all(peer));
      }
    }
    for (String part : List.of("create", "create_call", "delete", "create_and_delete")) {
      findings.latency(part, comparison.all(part));
      findings.latency("pooled_" + part, comparison.all("pooled_" + part));
    }
  }
}
