// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import org.HdrHistogram.Histogram;

/** All rounds of one relay under one kind of load. Not thread-safe. */
final class MixedTotals {

  private static final double MEGA = 1e6;

  private final Histogram micros = new Histogram(3);
  private long least = Long.MAX_VALUE;
  private long answered;
  private long wrong;
  private long mostStalled;
  private long floodBytes;

  void add(MixedLoad.Result result) {
    micros.add(result.micros());
    least = Math.min(least, result.micros().getTotalCount());
    answered += result.answered();
    wrong += result.wrong();
    mostStalled = Math.max(mostStalled, result.stalled());
    floodBytes += result.floodBytes();
  }

  /** Whether every round has values enough for a 99th percentile. */
  boolean provesP99() {
    return least >= Samples.LEAST_FOR_P99;
  }

  long answered() {
    return answered;
  }

  boolean nobodyStalled() {
    return mostStalled == 0;
  }

  boolean allRight() {
    return wrong == 0;
  }

  void report(String name, Findings findings) {
    findings.figure(name + "_p50_micros", (double) micros.getValueAtPercentile(50));
    if (provesP99()) {
      findings.figure(name + "_p99_micros", (double) micros.getValueAtPercentile(99));
    }
    findings.figure(name + "_longest_micros", (double) micros.getMaxValue());
    findings.figure(name + "_stalled_streams", (double) mostStalled);
    findings.figure(name + "_answered_messages", (double) answered);
    findings.figure(name + "_flood_megabytes", floodBytes / MEGA);
  }
}
