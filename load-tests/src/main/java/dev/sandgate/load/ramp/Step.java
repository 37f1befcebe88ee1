// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.ramp;

import java.util.Comparator;
import java.util.Locale;
import java.util.Map;

/**
 * So many sessions for a while.
 *
 * @param sessions side by side
 * @param seconds it lasted
 * @param seen what they did
 * @param cpuShare of the machine's CPUs in use meanwhile, from 0 to 1
 * @param cpuSeconds used meanwhile
 * @param memoryAvailable at its end, bytes
 * @param refusing why the node would make no further sandbox at its end; empty when it would
 */
record Step(
    int sessions,
    double seconds,
    Tally.Seen seen,
    double cpuShare,
    double cpuSeconds,
    long memoryAvailable,
    String refusing) {

  private static final double FAILURES_MOST = 0.01;
  private static final double CPU_FULL = 0.9;
  private static final double P99 = 99;
  private static final double MICROS_A_MILLI = 1_000;

  boolean failed() {
    return seen.failureShare() >= FAILURES_MOST;
  }

  double perSecond() {
    return seen.succeeded() / seconds;
  }

  double commandP99Millis() {
    return seen.commands().getValueAtPercentile(P99) / MICROS_A_MILLI;
  }

  /** The failure that came most often. */
  String mostFrequentFailure() {
    return seen.failures().entrySet().stream()
        .max(Map.Entry.comparingByValue(Comparator.naturalOrder()))
        .map(Map.Entry::getKey)
        .orElse("none");
  }

  /** What there was too little of: as the node says, or as the machine shows. */
  String shortOf() {
    if (!refusing.isEmpty()) {
      return refusing;
    }
    return cpuShare >= CPU_FULL
        ? "CPU: %.0f %% of the CPUs' time was used".formatted(100 * cpuShare)
        : "nothing that is measured here; most frequent failure: " + mostFrequentFailure();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d sessions: %.0f operations a second, %.2f %% failed, command p99 %.0f ms, create p99 %.0f ms, CPU %.0f %%, %,d MB available",
        sessions,
        perSecond(),
        100 * seen.failureShare(),
        commandP99Millis(),
        seen.creates().getValueAtPercentile(P99) / MICROS_A_MILLI,
        100 * cpuShare,
        memoryAvailable >> 20);
  }
}
