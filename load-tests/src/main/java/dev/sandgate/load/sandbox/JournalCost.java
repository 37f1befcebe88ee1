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
import java.util.List;
import java.util.Map;

/**
 * A command on a node that records it before its start and before its exit is told, beside the same on a node that was told
 * to record nothing. Both nodes live in this process, measured in turn.
 */
public final class JournalCost implements LoadScenario {

  private static final int EXECS = 2_000;
  private static final int WARMUP_ROUNDS = 2;

  @Override
  public String name() {
    return "journal";
  }

  @Override
  public String goal() {
    return "p50 of a command with the journal on: at most 1.15x off";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    int count = arguments.count().orElse(EXECS);
    try (Platform on = Platform.start();
        Platform off = Platform.start(Map.of("node.journal", "off"))) {
      SandboxHandle recorded = on.create();
      SandboxHandle unrecorded = off.create();
      Comparison comparison =
          Comparison.alternate(
              new Comparison.Plan(WARMUP_ROUNDS, arguments.rounds()),
              List.of(
                  Subject.of("on", () -> Timing.each(count, () -> Commands.run(recorded))),
                  Subject.of("off", () -> Timing.each(count, () -> Commands.run(unrecorded)))),
              arguments.progress());
      findings.ratio("exec_p50_on_vs_off", comparison.ratios("on", "off", Samples::median));
      findings.latency("on", comparison.all("on"));
      findings.latency("off", comparison.all("off"));
    }
    findings.note("off is node.journal=off, a setting for this measurement only");
    findings.must("exec_p50_on_vs_off", 1.15);
    return findings.report();
  }
}
