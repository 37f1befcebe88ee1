// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import java.util.Map;

/** One side of a comparison; measures one round of one or more kinds of values, by name. */
@FunctionalInterface
public interface Subject {

  /** Measures. */
  Map<String, Samples> round() throws Exception;

  /** A subject with one kind of values. */
  static Subject of(String name, Round round) {
    return () -> Map.of(name, round.measure());
  }

  /** A measurement of one kind of values. */
  @FunctionalInterface
  interface Round {
    /** Measures. */
    Samples measure() throws Exception;
  }
}
