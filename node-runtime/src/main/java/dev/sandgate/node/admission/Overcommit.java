// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.admission;

import static dev.sandgate.node.config.Setting.check;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * How much living sandboxes may ask for together, as a multiple of what the machine has.
 *
 * @param cpu of its processors; without one there is no bound
 * @param memory of its memory; without one there is no bound
 */
public record Overcommit(OptionalDouble cpu, OptionalDouble memory) {

  static final String CPU = "node.cpu-overcommit";
  static final String MEMORY = "node.memory-overcommit";

  /** Whatever is asked for. */
  public static final Overcommit UNBOUNDED =
      new Overcommit(OptionalDouble.empty(), OptionalDouble.empty());

  /** Reads {@code node.cpu-overcommit} and {@code node.memory-overcommit}; INVALID_CONFIG. */
  public static Overcommit of(Map<String, String> settings) {
    return new Overcommit(ratio(settings, CPU), ratio(settings, MEMORY));
  }

  private static OptionalDouble ratio(Map<String, String> settings, String name) {
    String value = settings.getOrDefault(name, "");
    if (value.isEmpty()) {
      return OptionalDouble.empty();
    }
    boolean number = value.matches("\\d{1,7}(\\.\\d{1,3})?");
    check(number && Double.parseDouble(value) > 0, name, "give a ratio above 0, for example 50");
    return OptionalDouble.of(Double.parseDouble(value));
  }
}
