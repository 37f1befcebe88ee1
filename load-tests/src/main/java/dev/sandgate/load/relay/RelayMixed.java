// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What interactive sessions notice of others that flood, or whose readers stopped. */
public final class RelayMixed implements LoadScenario {

  private static final String QUIET = "quiet";
  private static final String FLOOD = "flood";
  private static final String STOP_FEW = "stop_1";
  private static final String STOP_MANY = "stop_100";
  private static final List<String> CASES = List.of(QUIET, FLOOD, STOP_FEW, STOP_MANY);
  private static final double SECONDS = 1.25;
  private static final int CHECKED_MESSAGES = 10_000_000;
  private static final double PERCENT = 99;
  private static final double MOST = 2;

  @Override
  public String name() {
    return "relay-mixed";
  }

  @Override
  public String goal() {
    return "interactive p99 while 5 % of 200 streams flood, or readers of 1 or 100 stop: at most 2x quiet, nobody stalls";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    try (Relays relays = Relays.open(arguments, findings)) {
      new Run(arguments, relays, findings).measure();
    }
    for (String other : CASES.subList(1, CASES.size())) {
      findings.must(other + "_p99_vs_quiet", MOST);
    }
    return findings.report();
  }

  private static MixedLoad load(String name, double seconds) {
    return switch (name) {
      case QUIET -> new MixedLoad(0, false, seconds);
      case FLOOD -> new MixedLoad(MixedLoad.STREAMS / 20, false, seconds);
      case STOP_FEW -> new MixedLoad(1, true, seconds);
      case STOP_MANY -> new MixedLoad(MixedLoad.STREAMS / 2, true, seconds);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** One measurement. */
  private static final class Run {

    private final LoadArguments arguments;
    private final Relays relays;
    private final Findings findings;
    private final double seconds;
    private final Map<String, MixedTotals> totals = new LinkedHashMap<>();

    Run(LoadArguments arguments, Relays relays, Findings findings) {
      this.arguments = arguments;
      this.relays = relays;
      this.findings = findings;
      seconds = arguments.duration().map(duration -> duration.toMillis() / 1e3).orElse(SECONDS);
    }

    void measure() throws Exception {
      List<Subject> subjects = new ArrayList<>();
      for (RelayPeer peer : relays.of(Relays.OURS, "haproxy")) {
        relays.heat(new EchoLoad("echo", 4, MixedLoad.STREAMS, 1, seconds), peer);
        for (String name : CASES) {
          subjects.add(Subject.of(peer.name() + "_" + name, () -> round(peer, name)));
        }
      }
      Comparison.Plan plan = new Comparison.Plan(1, arguments.rounds());
      report(Comparison.alternate(plan, subjects, arguments.progress()));
      checkOrder();
    }

    private Samples round(RelayPeer peer, String name) throws IOException {
      MixedLoad.Result result = relays.run(load(name, seconds), peer);
      totals.computeIfAbsent(peer.name() + "_" + name, _ -> new MixedTotals()).add(result);
      return Samples.of(result.percentile(PERCENT));
    }

    private void report(Comparison comparison) {
      for (String name : CASES.subList(1, CASES.size())) {
        ratio(comparison, name, Relays.OURS);
      }
      ratio(comparison, FLOOD, "haproxy"); // with stopped readers it has too few answers for a p99
      totals.forEach((name, total) -> total.report(name, findings));
      findings.must("nobody stalls", ours().allMatch(MixedTotals::nobodyStalled));
    }

    private void ratio(Comparison comparison, String name, String peer) {
      if (!provesP99(peer, QUIET) || !provesP99(peer, name)) {
        return;
      }
      String prefix = peer.equals(Relays.OURS) ? "" : peer + "_";
      findings.ratio(
          prefix + name + "_p99_vs_quiet",
          comparison.ratios(peer + "_" + name, peer + "_" + QUIET, Samples::median));
    }

    private boolean provesP99(String peer, String name) {
      MixedTotals measured = totals.get(peer + "_" + name);
      return measured != null && measured.provesP99();
    }

    private Stream<MixedTotals> ours() {
      return totals.entrySet().stream()
          .filter(entry -> entry.getKey().startsWith(Relays.OURS))
          .map(Map.Entry::getValue);
    }

    // As fast as it goes, behind everything else: every message carries its number.
    private void checkOrder() throws IOException {
      RelayPeer peer = relays.of(Relays.OURS).getFirst();
      EchoLoad load = new EchoLoad("echo", 4, MixedLoad.STREAMS, 16, Math.max(1, seconds));
      long checked = ours().mapToLong(MixedTotals::answered).sum();
      while (checked < arguments.count().orElse(CHECKED_MESSAGES)) {
        checked += relays.run(load, peer).messages();
      }
      findings.figure("checked_messages", (double) checked);
      findings.must(
          "no message is lost, changed or out of order", ours().allMatch(MixedTotals::allRight));
    }
  }
}
