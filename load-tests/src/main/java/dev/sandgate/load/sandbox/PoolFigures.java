// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.load.measure.Findings;
import dev.sandgate.proto.v1.SandboxPool;

/** What a pool did during a scenario. */
final class PoolFigures {

  private PoolFigures() {}

  static void of(SandboxPool pool, Findings findings) {
    findings.figure("pool_hits", pool.getHits());
    findings.figure("pool_misses", pool.getMisses());
    findings.figure("pool_activation_p50_micros", pool.getActivationP50Micros());
    findings.figure("pool_activation_p99_micros", pool.getActivationP99Micros());
    if (pool.getAvailable() > 0) {
      findings.figure("pool_blank_kilobytes", pool.getMemoryBytes() / pool.getAvailable() / 1024);
    }
  }
}
