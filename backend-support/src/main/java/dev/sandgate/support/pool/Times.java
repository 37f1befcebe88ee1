// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** How long something took, to 1 %, up to an hour; any thread. */
final class Times {

  private static final long HIGHEST_MICROS = TimeUnit.HOURS.toMicros(1);
  private static final int DIGITS = 2;

  private final Recorder recorder = new Recorder(HIGHEST_MICROS, DIGITS);
  private final Histogram until = new Histogram(HIGHEST_MICROS, DIGITS);

  void took(long nanos) {
    recorder.recordValue(Math.clamp(TimeUnit.NANOSECONDS.toMicros(nanos), 0, HIGHEST_MICROS));
  }

  /** Microseconds that so many percent took no longer than; 0 when nothing took any time. */
  synchronized long[] atPercentiles(double... percents) {
    until.add(recorder.getIntervalHistogram());
    long[] micros = new long[percents.length];
    for (int i = 0; i < percents.length; i++) {
      micros[i] = until.getValueAtPercentile(percents[i]);
    }
    return micros;
  }
}
