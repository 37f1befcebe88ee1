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

/** A command in a container that lives: through the node's API, with crun exec, and bare on the host. */
public final class ExecLatency implements LoadScenario {

  private static final int EXECS = 2_000;
  private static final int OF_OURS_TO_ONE_OF_THEIRS = 10;
  private static final int WARMUP_ROUNDS = 2;

  @Override
  public String name() {
    return "exec";
  }

  @Override
  public String goal() {
    return "p50 of a command in a live container through the node's API: at most 0.5x crun exec";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    try (Platform platform = Platform.start()) {
      Peers peers = platform.peers(tools);
      Comparison comparison = compare(arguments, platform, peers, findings);
      report(comparison, findings);
    }
    findings.must("exec_p50_vs_crun_exec", 0.5);
    return findings.report();
  }

  private static Comparison compare(
      LoadArguments arguments, Platform platform, Peers peers, Findings findings) throws Exception {
    int ours = arguments.count().orElse(EXECS);
    int theirs = Math.max(5, ours / OF_OURS_TO_ONE_OF_THEIRS);
    SandboxHandle sandbox = platform.create();
    List<Subject> subjects = new ArrayList<>();
    subjects.add(Subject.of("run", () -> Timing.each(ours, () -> Commands.run(sandbox))));
    if (peers.hasCrun(findings)) {
      subjects.add(Subject.of("crun_exec", () -> peers.crunExec(theirs)));
    }
    subjects.add(Subject.of("stream", () -> Timing.each(ours, () -> Commands.stream(sandbox))));
    subjects.add(Subject.of("spawn", () -> peers.spawn(theirs)));
    try {
      Comparison.Plan plan = new Comparison.Plan(WARMUP_ROUNDS, arguments.rounds());
      return Comparison.alternate(plan, subjects, arguments.progress());
    } finally {
      platform.delete(List.of(sandbox));
    }
  }

  private static void report(Comparison comparison, Findings findings) {
    if (comparison.has("crun_exec")) {
      findings.ratio(
          "exec_p50_vs_crun_exec", comparison.ratios("run", "crun_exec", Samples::median));
      findings.ratio(
          "stream_p50_vs_crun_exec", comparison.ratios("stream", "crun_exec", Samples::median));
      findings.latency("crun_exec", comparison.all("crun_exec"));
    }
    findings.ratio("exec_p50_vs_spawn", comparison.ratios("run", "spawn", Samples::median));
    findings.latency("exec", comparison.all("run"));
    findings.latency("stream", comparison.all("stream"));
    findings.latency("spawn", comparison.all("spawn"));
  }
}
