// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.qos;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.load.tool.Tools;
import java.util.List;
import java.util.Locale;

/**
 * Wake-up latency of a latency-sensitive task beside spinning best-effort sandboxes, on a machine that is idle otherwise,
 * and as it would be with flat weights or a least weight instead of {@code cpu.idle}.
 */
public final class Qos implements LoadScenario {

  private static final int ENOUGH_ROUNDS = 5;
  private static final List<Integer> LOADS = List.of(10, 20, 30, 40, 50);

  /** Found by the command. */
  public Qos() {}

  @Override
  public String name() {
    return "qos";
  }

  @Override
  public String goal() {
    return "wake-up p99 of a latency-sensitive task beside 40 best-effort spinners: at most 2x idle";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    try (Platform platform = Platform.start()) {
      Bench bench = Bench.on(platform, tools.wakeup(), arguments);
      Comparison comparison =
          Comparison.alternate(
              new Comparison.Plan(1, arguments.rounds()), bench.subjects(), arguments.progress());
      report(comparison, findings);
      inflation(bench, arguments, findings);
      findings.note("core scheduling: " + coreScheduling(platform));
    }
    findings.must("wake_p99_vs_idle", 2);
    findings.mustGain("best_effort_of_spare_gain", 0.9);
    return findings.report();
  }

  private static void report(Comparison comparison, Findings findings) {
    findings.ratio("wake_p99_vs_idle", wakes(comparison, State.BEST_EFFORT));
    findings.ratio("best_effort_of_spare_gain", comparison.all("spare"));
    findings.ratio("flat_weights_p99_vs_idle", wakes(comparison, State.FLAT));
    findings.ratio("least_weight_p99_vs_idle", wakes(comparison, State.LEAST_WEIGHT));
    findings.ratio(
        "exec_p50_vs_idle",
        comparison.ratios(
            State.BEST_EFFORT.named("exec"), State.IDLE.named("exec"), Samples::median));
    for (State state : State.values()) {
      findings.latency(state.named("wake"), comparison.all(state.named("wake")));
    }
    findings.latency("exec_idle", comparison.all(State.IDLE.named("exec")));
    findings.latency("exec_best_effort", comparison.all(State.BEST_EFFORT.named("exec")));
  }

  private static Samples wakes(Comparison comparison, State state) {
    return comparison.ratios(state.named("wake"), State.IDLE.named("wake"), Qos::p99);
  }

  private static double p99(Samples samples) {
    return samples.percentile(0.99);
  }

  /** How much longer the task takes at each load: from when it is due until it is done, 99th percentile. */
  private static void inflation(Bench bench, LoadArguments arguments, Findings findings)
      throws Exception {
    boolean all = arguments.rounds() >= ENOUGH_ROUNDS;
    for (int load : all ? LOADS : List.of(LOADS.getFirst(), LOADS.getLast())) {
      arguments.progress().accept("a task that works " + load + " % of the time");
      double alone = p99(bench.measure(State.IDLE, load).task());
      double flat = p99(bench.measure(State.FLAT, load).task());
      double idle = p99(bench.measure(State.BEST_EFFORT, load).task());
      findings.ratio("load_%d_flat_task_p99_vs_idle".formatted(load), flat / alone);
      findings.ratio("load_%d_classes_task_p99_vs_idle".formatted(load), idle / alone);
      findings.note(
          String.format(
              Locale.ROOT,
              "at %d %% load a task's p99 is %.0f us alone; beside spinners %+.1f %% with flat weights, %+.1f %% with classes",
              load,
              alone,
              100 * (flat / alone - 1),
              100 * (idle / alone - 1)));
    }
  }

  private static String coreScheduling(Platform platform) {
    return Platform.await(platform.client().nodes()).stream()
        .flatMap(node -> node.getBackendsList().stream())
        .flatMap(backend -> backend.getFindingsList().stream())
        .filter(finding -> finding.getSubject().equals("core scheduling"))
        .map(
            finding ->
                finding.getAvailable()
                    ? "on, it is part of what classes do here"
                    : "not here, so nothing is told with it: " + finding.getDetail())
        .findFirst()
        .orElse("unknown");
  }
}
