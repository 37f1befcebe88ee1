// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reports one shape of echo load: CPU per message as ratio, and what the load client saw as figures. */
final class Echoes {

  private Echoes() {}

  static void measure(Relays relays, EchoLoad load, Findings findings) throws Exception {
    Map<String, EchoLoad.Result> last = new LinkedHashMap<>();
    Comparison comparison = relays.compare(load, EchoLoad.Result::cpuMicrosPerMessage, last::put);
    for (String other : Relays.OTHERS) {
      if (comparison.has(other)) {
        findings.ratio(
            "echo_cpu_vs_" + other,
            comparison.ratios(Relays.OURS, other, samples -> samples.median()));
      }
    }
    last.forEach(
        (peer, result) -> {
          findings.figure(peer + "_echo_cpu_micros", comparison.all(peer).median());
          findings.figure(peer + "_echo_p50_micros", result.p50Micros());
          findings.figure(peer + "_echoes_per_second", result.messagesPerSecond());
        });
  }
}
