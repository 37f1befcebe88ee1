// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import static dev.sandgate.node.config.Setting.check;

import java.time.Duration;

/**
 * What the node keeps at most.
 *
 * @param sandboxes living at once
 * @param execsPerSandbox records of one sandbox's commands
 * @param endedExecs records of ended commands, of all sandboxes
 * @param recordMemoryBytes output held in memory rather than in files
 * @param retention how long ended sandboxes and commands can be asked for
 */
public record Capacity(
    int sandboxes,
    int execsPerSandbox,
    int endedExecs,
    long recordMemoryBytes,
    Duration retention) {

  /** 12,000 sandboxes, 4,096 commands each, 50,000 ended ones, 256 MiB, 10 minutes. */
  public static final Capacity STANDARD =
      new Capacity(12_000, 4_096, 50_000, 256L << 20, Duration.ofMinutes(10));

  /** Checks. */
  public Capacity {
    check(sandboxes > 0, "node.max-sandboxes", "give 1 or more");
    check(execsPerSandbox > 0, "node.max-execs-per-sandbox", "give 1 or more");
    check(endedExecs > 0, "node.max-ended-execs", "give 1 or more");
    check(recordMemoryBytes >= 0, "node.record-memory", "give 0 or more bytes");
    check(!retention.isNegative(), "node.retention", "give 0 or more");
  }
}
