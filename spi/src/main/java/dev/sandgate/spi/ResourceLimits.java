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
 */
public record ResourceLimits(
    int cpuMillis, long memoryBytes, int pids, long diskBytes, int openFiles) {

  /** Every limit at the backend's default. */
  public static final ResourceLimits DEFAULT = new ResourceLimits(0, 0, 0, 0, 0);
}
