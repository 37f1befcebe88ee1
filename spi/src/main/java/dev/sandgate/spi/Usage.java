// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.time.Duration;

/**
 * What a sandbox used so far.
 *
 * @param cpu user and system time
 * @param memoryBytes charged to it now
 * @param peakMemoryBytes the most ever charged, or 0 when the host does not keep it
 * @param processes alive now
 * @param outOfMemoryKills processes the kernel killed for memory
 * @param diskBytes that what it wrote takes now, or {@link #UNKNOWN}
 * @param inodes that what it wrote takes now, or {@link #UNKNOWN}
 */
public record Usage(
    Duration cpu,
    long memoryBytes,
    long peakMemoryBytes,
    int processes,
    long outOfMemoryKills,
    long diskBytes,
    long inodes) {

  /** A figure that would be costly to find. */
  public static final long UNKNOWN = -1;

  /**
   * Usage without what is on disk.
   *
   * @param cpu as above
   * @param memoryBytes as above
   * @param peakMemoryBytes as above
   * @param processes as above
   * @param outOfMemoryKills as above
   */
  public Usage(
      Duration cpu, long memoryBytes, long peakMemoryBytes, int processes, long outOfMemoryKills) {
    this(cpu, memoryBytes, peakMemoryBytes, processes, outOfMemoryKills, UNKNOWN, UNKNOWN);
  }

  /**
   * The same with what is on disk.
   *
   * @param bytes that what it wrote takes
   * @param entries files, directories and links that it wrote
   * @return the whole
   */
  public Usage withDisk(long bytes, long entries) {
    return new Usage(
        cpu, memoryBytes, peakMemoryBytes, processes, outOfMemoryKills, bytes, entries);
  }
}
