// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.top;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.proto.v1.Meter;
import java.util.Comparator;
import java.util.function.ToLongFunction;

/** Which sandboxes come first. */
enum Order {
  /** Those that use most processor time now. */
  CPU,
  /** Those that hold most memory now. */
  MEMORY,
  /** The oldest. */
  AGE;

  static Order of(String word) {
    return switch (word) {
      case "cpu" -> CPU;
      case "memory" -> MEMORY;
      case "age" -> AGE;
      default ->
          throw CommandFailure.usage("--sort: '" + word + "' is unknown, give cpu, memory or age");
    };
  }

  Comparator<Meter> comparator() {
    return switch (this) {
      case CPU -> most(Meter::getCpuMillisNow);
      case MEMORY -> most(Meter::getMemoryBytesNow);
      case AGE -> most(Meter::getWallMillis);
    };
  }

  private static Comparator<Meter> most(ToLongFunction<Meter> number) {
    return Comparator.comparingLong(number).reversed().thenComparing(Meter::getKey);
  }
}
