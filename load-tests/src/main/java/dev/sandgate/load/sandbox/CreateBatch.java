// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.tool.Tools;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** How many sandboxes a second one batch call makes, beside crun and bwrap one after another. */
public final class CreateBatch implements LoadScenario {

  private static final int SANDBOXES = 200;
  private static final int PEER_RUNS = 100;

  @Override
  public String name() {
    return "create-batch";
  }

  @Override
  public String goal() {
    return "sandboxes by one batch call: at least 2x crun's sequential rate, from the pool 5x, no failures";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    int count = arguments.count().orElse(SANDBOXES);
    try (Platform platform = Platform.start();
        Platform pooled = Platform.startPooled(count)) {
      Peers peers = platform.peers(tools);
      report(compare(arguments, new Both(platform, pooled), peers, findings), findings);
      PoolFigures.of(pooled.pool(), findings);
    }
    findings.note("pooled: each batch begins with as many blanks as it makes sandboxes");
    findings.mustGain("rate_vs_crun_run_gain", 2.0);
    findings.mustGain("pooled_rate_vs_crun_run_gain", 5.0);
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
    int count = arguments.count().orElse(SANDBOXES);
    int theirs = Math.min(count, PEER_RUNS);
    List<Subject> subjects = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    subjects.add(Subject.of("batch", () -> batch(nodes.cold(), count, failures)));
    subjects.add(Subject.of("pooled_batch", () -> batch(nodes.pooled(), count, failures)));
    if (peers.hasCrun(findings)) {
      subjects.add(Subject.of("crun_run", () -> rate(peers.crunRun(theirs))));
    }
    if (peers.hasBwrap(findings)) {
      subjects.add(Subject.of("bwrap", () -> rate(peers.bwrapRun(theirs))));
    }
    findings.figure("sandboxes", count);
    Comparison.Plan plan = new Comparison.Plan(1, arguments.rounds());
    Comparison comparison = Comparison.alternate(plan, subjects, arguments.progress());
    failures.stream().distinct().limit(5).forEach(findings::note);
    findings.must("no sandbox of a batch fails", failures.isEmpty());
    return comparison;
  }

  private static Samples batch(Platform platform, int count, List<String> failures)
      throws IOException {
    Timing timing = new Timing();
    platform.awaitPool();
    timing.start();
    Platform.Made made = platform.createBatch(count);
    timing.stop();
    failures.addAll(made.failures());
    platform.delete(made.sandboxes());
    return rate(timing.samples(), count);
  }

  private static Samples rate(Samples micros) {
    return rate(micros, 1);
  }

  private static Samples rate(Samples micros, int made) {
    return Samples.of(made * 1e6 / micros.mean());
  }

  private static void report(Comparison comparison, Findings findings) {
    findings.figure("batch_per_second", comparison.all("batch").median());
    findings.figure("pooled_batch_per_second", comparison.all("pooled_batch").median());
    for (String peer : List.of("crun_run", "bwrap")) {
      if (comparison.has(peer)) {
        findings.figure(peer + "_per_second", comparison.all(peer).median());
        findings.ratio(
            "rate_vs_" + peer + "_gain", comparison.ratios("batch", peer, Samples::median));
        findings.ratio(
            "pooled_rate_vs_" + peer + "_gain",
            comparison.ratios("pooled_batch", peer, Samples::median));
      }
    }
  }
}
