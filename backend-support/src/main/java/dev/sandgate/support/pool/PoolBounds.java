// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

/**
 * How much a pool may hold.
 *
 * @param min of one kind, while that was asked for lately
 * @param max of all kinds, those being made included; 0 for no pool
 * @param memoryBytes that all of it may take
 */
public record PoolBounds(int min, int max, long memoryBytes) {

  /** Refuses what cannot be. */
  public PoolBounds {
    if (min < 0 || max < 0 || min > max || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "0 <= min <= max and memoryBytes >= 0, not " + min + ", " + max + ", " + memoryBytes);
    }
  }
}
