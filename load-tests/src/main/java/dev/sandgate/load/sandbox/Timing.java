// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.load.measure.Samples;
import java.util.ArrayList;
import java.util.List;

/** Microseconds of things done one after another. */
public final class Timing {

  private final List<Double> micros = new ArrayList<>();
  private long since = System.nanoTime();

  /** Begins. */
  public void start() {
    since = System.nanoTime();
  }

  /** Ends what began last. */
  public void stop() {
    micros.add((System.nanoTime() - since) / 1e3);
  }

  /** All of them. */
  public Samples samples() {
    return Samples.of(micros.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Something to be timed. */
  @FunctionalInterface
  public interface Action {
    /** Does it. */
    void run() throws Exception;
  }

  /** Times the same thing so many times. */
  public static Samples each(int count, Action action) throws Exception {
    Timing timing = new Timing();
    for (int i = 0; i < count; i++) {
      timing.start();
      action.run();
      timing.stop();
    }
    return timing.samples();
  }
}
