// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.load.measure.Findings;

/** What the gateway costs when many sessions are interactive: 200 streams with one message under way each. */
public final class RelayEcho implements LoadScenario {

  private static final int CONNECTIONS = 4;
  private static final int STREAMS = 200;

  @Override
  public String name() {
    return "relay-echo";
  }

  @Override
  public String goal() {
    return "CPU per relayed echo, 200 streams, window 1: at most 1.0x HAProxy and 0.15x nginx";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    try (Relays relays = Relays.open(arguments, findings)) {
      EchoLoad load = new EchoLoad("echo", CONNECTIONS, STREAMS, 1, relays.seconds());
      Echoes.measure(relays, load, findings);
    }
    findings.must("echo_cpu_vs_haproxy", 1.0);
    findings.must("echo_cpu_vs_nginx", 0.15);
    return findings.report();
  }
}
