// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.jmh;

import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs every micro-benchmark for a few seconds and prints nanoseconds per operation; an argument chooses by name. */
public final class Smoke {

  private static final int ROUNDS = 3;
  private static final TimeValue ROUND = TimeValue.milliseconds(500);

  private Smoke() {}

  /** Takes a regular expression on benchmark names, or nothing. */
  public static void main(String[] arguments) throws RunnerException {
    String which = arguments.length > 0 ? arguments[0] : "dev.sandgate.*";
    new Runner(
            new OptionsBuilder()
                .include(which)
                .forks(1)
                .warmupIterations(ROUNDS)
                .warmupTime(ROUND)
                .measurementIterations(ROUNDS)
                .measurementTime(ROUND)
                .shouldFailOnError(true)
                .build())
        .run();
  }
}
