// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/** How a sandbox's CPU time ranks against others on its node (DSec §5.2). */
public enum QosClass {
  /** Served first; may get cores of its own by core scheduling. */
  LATENCY_SENSITIVE,
  /** Runs on what is left ({@code SCHED_IDLE} for the whole cgroup). */
  BEST_EFFORT
}
