// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * What a sandbox may use; 0 means the backend's default.
 *
 * @param cpuMillis thousandths of a core per second of wall time
 * @param memoryBytes resident memory and page cache charged to it
 * @param pids processes and threads
 * @param diskBytes what it may write to its own file system
 * @param openFiles descriptors per process
 * @param inodes files, directories and links it may have written at a time; only beside {@code diskBytes}
 */
public record ResourceLimits(
    int cpuMillis, long memoryBytes, int pids, long diskBytes, int openFiles, long inodes) {

  /** Every limit at the backend's default. */
  public static final ResourceLimits DEFAULT = new ResourceLimits(0, 0, 0, 0, 0);

  /**
   * Limits with the backend's default of inodes.
   *
   * @param cpuMillis as above
   * @param memoryBytes as above
   * @param pids as above
   * @param diskBytes as above
   * @param openFiles as above
   */
  public ResourceLimits(int cpuMillis, long memoryBytes, int pids, long diskBytes, int openFiles) {
    this(cpuMillis, memoryBytes, pids, diskBytes, openFiles, 0);
  }
}
