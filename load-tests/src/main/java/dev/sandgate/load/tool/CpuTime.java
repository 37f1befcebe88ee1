// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of a process, all threads, as the kernel accounts it. */
public final class CpuTime {

  private static final double MICROS_PER_TICK = 10_000; // USER_HZ is 100 on every Linux we run on

  private CpuTime() {}

  /** User and system time so far, microseconds, in steps of 10,000. */
  public static double micros(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * MICROS_PER_TICK;
  }
}
