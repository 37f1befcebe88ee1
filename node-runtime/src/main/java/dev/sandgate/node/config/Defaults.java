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
 * @param lifetime how long a sandbox may live
 * @param idleTimeout how long it may idle, zero for ever
 */
public record Defaults(ResourceLimits limits, Duration lifetime, Duration idleTimeout) {

  /** One core, 512 MiB, 256 processes, a day. */
  public static final Defaults STANDARD =
      new Defaults(
          new ResourceLimits(1_000, 512L << 20, 256, 0, 4_096),
          Duration.ofHours(24),
          Duration.ZERO);

  /** Checks. */
  public Defaults {
    check(lifetime.toDays() <= 7 && !lifetime.isNegative(), "node.lifetime", "give up to 7 days");
    check(!idleTimeout.isNegative(), "node.idle-timeout", "give 0 or more");
  }
}
