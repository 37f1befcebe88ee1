// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;

/** What the gateway costs when few sessions are busy: 8 streams with 64 messages under way each, and pure output. */
public final class RelayFlood implements LoadScenario {

  private static final int CONNECTIONS = 2;
  private static final int STREAMS = 8;
  private static final int WINDOW = 64;

  @Override
  public String name() {
    return "relay-flood";
  }

  @Override
  public String goal() {
    return "CPU per echo, 8 streams, window 64: at most 1.2x HAProxy; MB of output per CPU second";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    try (Relays relays = Relays.open(arguments, findings)) {
      double seconds = relays.seconds();
      Echoes.measure(relays, new EchoLoad("echo", CONNECTIONS, STREAMS, WINDOW, seconds), findings);
      output(relays, new EchoLoad("flood", CONNECTIONS, STREAMS, 1, seconds), findings);
    }
    findings.must("echo_cpu_vs_haproxy", 1.2);
    return findings.report();
  }

  private static void output(Relays relays, EchoLoad load, Findings findings) throws Exception {
    Comparison comparison =
        relays.compare(load, EchoLoad.Result::megabytesPerCpuSecond, (peer, result) -> {});
    findings.figure("sandgate_output_mb_per_cpu_second", comparison.all(Relays.OURS).median());
    for (String other : Relays.OTHERS) {
      if (comparison.has(other)) {
        findings.ratio(
            "output_per_cpu_vs_" + other + "_gain",
            comparison.ratios(Relays.OURS, other, samples -> samples.median()));
        findings.figure(other + "_output_mb_per_cpu_second", comparison.all(other).median());
      }
    }
  }
}
