// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.load.measure.Findings;
import dev.sandgate.proto.v1.SandboxPool;

/** What a pool did during a scenario. */
final class PoolFigures {

  private static final double KILOBYTE = 1024;

  private PoolFigures() {}

  static void of(SandboxPool pool, Findings findings) {
    findings.figure("pool_hits", (double) pool.getHits());
    findings.figure("pool_misses", (double) pool.getMisses());
    findings.figure("pool_activation_p50_micros", (double) pool.getActivationP50Micros());
    findings.figure("pool_activation_p99_micros", (double) pool.getActivationP99Micros());
    double each = pool.getMemoryBytes() / KILOBYTE / Math.max(1, pool.getAvailable());
    findings.figure("pool_blank_kilobytes", each);
  }
}
