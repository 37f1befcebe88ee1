// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.demo;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** How long each of many things took. Thread-safe. */
final class Latencies {

  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);

  private final Histogram micros = new ConcurrentHistogram(HIGHEST_MICROS, 3);

  void add(long elapsedMicros) {
    micros.recordValue(Math.clamp(elapsedMicros, 0, HIGHEST_MICROS));
  }

  double millis(double percentile) {
    return micros.getValueAtPercentile(percentile) / 1_000.0;
  }

  long count() {
    return micros.getTotalCount();
  }
}
