// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import java.time.Duration;

/**
 * When a silent agent is given up.
 *
 * @param probeInterval how often it is asked while requests are under way; every fourth time otherwise
 * @param probeMisses after how many intervals in a row without a byte it counts as lost, at least 1
 */
public record AgentTuning(Duration probeInterval, int probeMisses) {

  /** Found out within a dozen seconds, and slow enough for thousands of idle guests. */
  public static final AgentTuning DEFAULT = new AgentTuning(Duration.ofSeconds(3), 3);

  /** Refuses what would never or always find it lost. */
  public AgentTuning {
    if (probeInterval.toMillis() < 1 || probeMisses < 1) {
      throw new IllegalArgumentException("probe interval and misses must be positive");
    }
  }
}
