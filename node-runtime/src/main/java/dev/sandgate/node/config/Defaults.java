// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import static dev.sandgate.node.config.Setting.check;

import dev.sandgate.spi.ResourceLimits;
import java.time.Duration;

/**
 * What a create request that leaves a field out gets.
 *
 * @param limits of a sandbox; 0 leaves a limit to the backend
 * @param lifetime how long a sandbox may live at all, zero for ever
 * @param lease how long it may live without a renewal, zero for ever
 * @param idleTimeout how long it may go unused, zero for ever
 */
public record Defaults(
    ResourceLimits limits, Duration lifetime, Duration lease, Duration idleTimeout) {

  private static final Duration MOST = Duration.ofDays(7);

  /** One core, 512 MiB, 256 processes; seven days, a day without a renewal, five minutes without use. */
  public static final Defaults STANDARD =
      new Defaults(
          new ResourceLimits(1_000, 512L << 20, 256, 0, 4_096),
          Duration.ofDays(7),
          Duration.ofHours(24),
          Duration.ofMinutes(5));

  /** Checks. */
  public Defaults {
    upTo7Days("node.lifetime", lifetime);
    upTo7Days("node.lease", lease);
    upTo7Days("node.idle-timeout", idleTimeout);
  }

  private static void upTo7Days(String setting, Duration time) {
    check(!time.isNegative() && time.compareTo(MOST) <= 0, setting, "give 0 to 7 days");
  }
}
