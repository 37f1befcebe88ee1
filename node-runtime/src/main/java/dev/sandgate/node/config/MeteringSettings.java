// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import java.util.Map;

/**
 * How the node measures what sandboxes use.
 *
 * @param periodMillis between two samples of a sandbox that is not young any more
 */
public record MeteringSettings(long periodMillis) {

  private static final String PERIOD = "node.metering-period-ms";
  private static final long STANDARD_MILLIS = 10_000;
  private static final long LEAST_MILLIS = 100;
  private static final long MOST_MILLIS = 600_000;

  /** Checks. */
  public MeteringSettings {
    Setting.check(
        periodMillis >= LEAST_MILLIS && periodMillis <= MOST_MILLIS,
        PERIOD,
        "give 100 … 600000 milliseconds");
  }

  /** Reads {@code node.metering-period-ms}. */
  public static MeteringSettings of(Map<String, String> settings) {
    return new MeteringSettings(Recording.number(settings, PERIOD, STANDARD_MILLIS));
  }
}
