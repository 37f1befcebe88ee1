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
 * @param storage what it moved from and to storage
 */
public record Usage(
    Duration cpu,
    long memoryBytes,
    long peakMemoryBytes,
    int processes,
    long outOfMemoryKills,
    long diskBytes,
    long inodes,
    Storage storage) {

  /** A figure that would be costly to find. */
  public static final long UNKNOWN = -1;

  /**
   * Bytes moved since it began, caches and files in memory left out.
   *
   * @param readBytes fetched from storage, or {@link #UNKNOWN}
   * @param writtenBytes to what belongs on storage, or {@link #UNKNOWN}
   */
  public record Storage(long readBytes, long writtenBytes) {

    /** Where nobody counts them. */
    public static final Storage NOT_MEASURED = new Storage(UNKNOWN, UNKNOWN);
  }

  /**
   * Usage without what is on disk, and what was moved there.
   *
   * @param cpu as above
   * @param memoryBytes as above
   * @param peakMemoryBytes as above
   * @param processes as above
   * @param outOfMemoryKills as above
   */
  public Usage(
      Duration cpu, long memoryBytes, long peakMemoryBytes, int processes, long outOfMemoryKills) {
    this(
        cpu,
        memoryBytes,
        peakMemoryBytes,
        processes,
        outOfMemoryKills,
        UNKNOWN,
        UNKNOWN,
        Storage.NOT_MEASURED);
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
        cpu, memoryBytes, peakMemoryBytes, processes, outOfMemoryKills, bytes, entries, storage);
  }

  /**
   * The same with what was moved.
   *
   * @param moved from and to storage
   * @return the whole
   */
  public Usage withStorage(Storage moved) {
    return new Usage(
        cpu, memoryBytes, peakMemoryBytes, processes, outOfMemoryKills, diskBytes, inodes, moved);
  }
}
