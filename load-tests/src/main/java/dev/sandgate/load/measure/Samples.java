// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import java.util.Arrays;
import java.util.Collection;

/** Measured values of one kind, sorted; at least one. */
public final class Samples {

  /** Fewer values say nothing about the slowest hundredth. */
  public static final int LEAST_FOR_P99 = 10_000;

  private final double[] sorted;

  private Samples(double[] sorted) {
    if (sorted.length == 0) {
      throw new IllegalArgumentException("nothing was measured");
    }
    this.sorted = sorted;
  }

  /** Takes values in any order. */
  public static Samples of(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Samples(sorted);
  }

  /** Puts several together. */
  public static Samples merge(Collection<Samples> parts) {
    return of(parts.stream().flatMapToDouble(part -> Arrays.stream(part.sorted)).toArray());
  }

  /** How many. */
  public int count() {
    return sorted.length;
  }

  /** The middle one; of an even number the mean of the two in the middle. */
  public double median() {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The arithmetic mean. */
  public double mean() {
    return Arrays.stream(sorted).average().orElseThrow();
  }

  /** The smallest value that a share of all values does not exceed; the share is from 0 to 1. */
  public double percentile(double share) {
    int rank = (int) Math.ceil(share * sorted.length);
    return sorted[Math.clamp(rank - 1L, 0, sorted.length - 1)];
  }

  /** The smallest. */
  public double least() {
    return sorted[0];
  }

  /** The largest. */
  public double most() {
    return sorted[sorted.length - 1];
  }
}
