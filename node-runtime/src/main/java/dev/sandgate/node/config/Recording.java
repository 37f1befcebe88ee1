// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import static dev.sandgate.node.config.Setting.check;

import java.time.Duration;
import java.util.Map;

/**
 * How commands are recorded.
 *
 * @param journal what a command waits for
 * @param spoolBytes of all output files together
 * @param trajectoryRetention how long a sandbox's commands can be asked for after it ended
 * @param trajectoryBytes of the database; when it has them, the trajectories of sandboxes that ended first go first, and
 *     when none is left no command is started
 */
public record Recording(
    Journal journal, long spoolBytes, Duration trajectoryRetention, long trajectoryBytes) {

  /** What a command waits for before it is started, and its exit before it is told. */
  public enum Journal {
    /** Its record survives the end of the process. */
    PROCESS,
    /** Its record survives power loss. */
    POWER,
    /** Nothing, and nothing is recorded: for measuring what recording costs, never for use. */
    OFF
  }

  private static final long GIB = 1L << 30;

  /** Checks. */
  public Recording {
    check(spoolBytes >= 0, "node.spool-bytes", "give 0 or more bytes");
    check(!trajectoryRetention.isNegative(), "node.trajectory-hours", "give 0 or more hours");
    check(trajectoryBytes > 0, "node.trajectory-bytes", "give 1 or more bytes");
  }

  /** Reads {@code node.journal}, {@code node.spool-bytes}, {@code node.trajectory-hours}, {@code node.trajectory-bytes}. */
  public static Recording of(Map<String, String> settings) {
    return new Recording(
        journal(settings.getOrDefault("node.journal", "process")),
        number(settings, "node.spool-bytes", 16 * GIB),
        Duration.ofHours(number(settings, "node.trajectory-hours", 24)),
        number(settings, "node.trajectory-bytes", 4 * GIB));
  }

  private static Journal journal(String value) {
    return switch (value) {
      case "process" -> Journal.PROCESS;
      case "power" -> Journal.POWER;
      case "off" -> Journal.OFF;
      default -> {
        check(false, "node.journal", "give process, power, or, for measuring only, off");
        yield Journal.PROCESS;
      }
    };
  }

  static long number(Map<String, String> settings, String key, long otherwise) {
    String value = settings.get(key);
    if (value == null) {
      return otherwise;
    }
    check(value.matches("\\d{1,18}"), key, "give a whole number");
    return Long.parseLong(value);
  }
}
