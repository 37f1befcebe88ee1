// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import dev.sandgate.spi.SandboxPool.Counts;

/** What a pool did so far; guarded by its lock. */
final class Tally {

  private long hits;
  private long misses;
  private long timeouts;
  private long made;
  private long failures;
  private long dirty;
  private long surplus;

  void hit() {
    hits++;
  }

  void miss() {
    misses++;
  }

  void timeout() {
    timeouts++;
  }

  void made() {
    made++;
  }

  void failure() {
    failures++;
  }

  void dirty(int count) {
    dirty += count;
  }

  void surplus(int count) {
    surplus += count;
  }

  /**
   * How full the pool is.
   *
   * @param available that wait
   * @param making that are being made
   * @param wanted that are to wait
   * @param memoryBytes of those that wait
   */
  record Filling(int available, int making, int wanted, long memoryBytes) {}

  Counts counts(Filling now, long[] activation) {
    return new Counts(
        hits,
        misses,
        timeouts,
        made,
        failures,
        dirty,
        surplus,
        now.available(),
        now.making(),
        now.wanted(),
        now.memoryBytes(),
        activation[0],
        activation[1]);
  }
}
