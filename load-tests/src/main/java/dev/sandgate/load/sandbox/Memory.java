// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.load.host.Scratch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Memory in use at one moment.
 *
 * @param host total less what is available, bytes; moved by everything that runs on the host
 * @param charged to cgroups of some names, bytes; the kernel's own memory for them included
 * @param heap of this JVM, bytes
 */
record Memory(long host, long charged, long heap) {

  private static final List<String> CHARGED = List.of("memory.usage_in_bytes", "memory.current");

  /** Collects this JVM's garbage first, so that it is not counted. */
  static Memory now(Scratch scratch, List<String> cgroups) throws IOException {
    System.gc();
    long charged = 0;
    for (Path path : scratch.cgroups()) {
      charged += cgroups.stream().anyMatch(path::endsWith) ? charged(path) : 0;
    }
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return new Memory(field("MemTotal") - field("MemAvailable"), charged, heap);
  }

  /** Moves a process into a memory cgroup beside one of ours, so that what it allocates is charged there. */
  static void chargeTo(String cgroup, long pid, Scratch scratch) throws IOException {
    for (Path ours : scratch.cgroups()) {
      if (ours.endsWith(scratch.name()) && measured(ours)) {
        Path beside = Files.createDirectories(ours.resolveSibling(cgroup));
        Files.writeString(beside.resolve("cgroup.procs"), Long.toString(pid));
      }
    }
  }

  private static boolean measured(Path cgroup) {
    return CHARGED.stream().anyMatch(name -> Files.exists(cgroup.resolve(name)));
  }

  private static long charged(Path cgroup) throws IOException {
    for (String name : CHARGED) {
      Path file = cgroup.resolve(name);
      if (Files.exists(file)) {
        return Long.parseLong(Files.readString(file).strip());
      }
    }
    return 0;
  }

  private static long field(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
      if (line.startsWith(name + ":")) {
        return 1024 * Long.parseLong(line.replaceAll("\\D+", ""));
      }
    }
    throw new IOException("no " + name + " in /proc/meminfo");
  }

  /** What came to this since then. */
  Memory since(Memory before) {
    return new Memory(host - before.host, charged - before.charged, heap - before.heap);
  }
}
