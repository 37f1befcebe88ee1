// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.ramp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What of the machine is in use.
 *
 * @param busyTicks of all CPUs since boot
 * @param allTicks of all CPUs since boot
 * @param memoryAvailable that could be taken without swapping, bytes
 */
record HostUse(long busyTicks, long allTicks, long memoryAvailable) {

  private static final int IDLE = 3;
  private static final int WAITING = 4;
  private static final int COUNTED = 8;
  private static final double TICKS_A_SECOND = 100;

  static HostUse now() {
    try {
      String[] ticks = line("/proc/stat", "cpu ").split(" +", -1);
      long all = 0;
      for (int i = 0; i < COUNTED; i++) {
        all += Long.parseLong(ticks[i]);
      }
      long idle = Long.parseLong(ticks[IDLE]) + Long.parseLong(ticks[WAITING]);
      long kib = Long.parseLong(line("/proc/meminfo", "MemAvailable:").split(" ", -1)[0]);
      return new HostUse(all - idle, all, kib << 10);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(String file, String prefix) throws IOException {
    return Files.readAllLines(Path.of(file)).stream()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()).strip())
        .findFirst()
        .orElseThrow(() -> new IOException(file + " has no " + prefix));
  }

  /** The share of the CPUs' time that was used since then, from 0 to 1. */
  double cpuShareSince(HostUse before) {
    return (double) (busyTicks - before.busyTicks) / Math.max(1, allTicks - before.allTicks);
  }

  /** Seconds of CPU used since then. */
  double cpuSecondsSince(HostUse before) {
    return (busyTicks - before.busyTicks) / TICKS_A_SECOND;
  }
}
