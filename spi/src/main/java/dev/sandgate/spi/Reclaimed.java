// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * What became of a paused sandbox's memory.
 *
 * @param bytesBefore charged to it before, bytes
 * @param bytesAfter charged to it after, bytes
 */
public record Reclaimed(long bytesBefore, long bytesAfter) {

  /** How much was given back, bytes. */
  public long bytes() {
    return Math.max(0, bytesBefore - bytesAfter);
  }
}
