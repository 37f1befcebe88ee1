// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The machine and how busy it is.
 *
 * @param load runnable tasks, the mean of the last minute
 * @param busyTicks of all CPUs since boot
 * @param idleTicks of all CPUs since boot
 * @param stolenTicks taken by the host of a virtual machine since boot
 */
record Machine(String load, long busyTicks, long idleTicks, long stolenTicks) {

  static Machine now() {
    String[] ticks = line("/proc/stat", "cpu ").trim().split(" +", -1);
    long all = Stream.of(ticks).skip(1).limit(8).mapToLong(Long::parseLong).sum();
    long idle = Long.parseLong(ticks[4]) + Long.parseLong(ticks[5]);
    String load = line("/proc/loadavg", "").split(" ", -1)[0];
    return new Machine(load, all - idle, idle, Long.parseLong(ticks[8]));
  }

  /** What a reader needs to judge figures from here. */
  Map<String, String> until(Machine end) {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
    machine.put("cpu", value(line("/proc/cpuinfo", "model name")));
    machine.put("memory", value(line("/proc/meminfo", "MemTotal")));
    machine.put("kernel", System.getProperty("os.version"));
    machine.put("java", System.getProperty("java.runtime.version"));
    machine.put("load_before", load);
    machine.put("load_after", end.load);
    long busy = end.busyTicks - busyTicks;
    long all = Math.max(1, busy + end.idleTicks - idleTicks);
    machine.put("cpu_busy_percent", Long.toString(100 * busy / all));
    machine.put("cpu_stolen_percent", Long.toString(100 * (end.stolenTicks - stolenTicks) / all));
    return machine;
  }

  private static String value(String line) {
    return line.substring(line.indexOf(':') + 1).trim();
  }

  private static String line(String file, String prefix) {
    try {
      List<String> lines = Files.readAllLines(Path.of(file));
      return lines.stream().filter(line -> line.startsWith(prefix)).findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
