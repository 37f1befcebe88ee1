// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.soak;

import dev.sandgate.load.host.HostState;
import dev.sandgate.load.sandbox.Platform;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What a platform without sandboxes holds.
 *
 * @param host what the kernel has of it
 * @param threads of this process
 * @param heapBytes in use after a collection
 * @param spawnerBytes resident memory of the spawner
 * @param layers images that the node keeps
 */
record Held(HostState host, int threads, long heapBytes, long spawnerBytes, long layers) {

  private static final String RESIDENT = "VmRSS:";

  static Held by(Platform platform) throws IOException {
    System.gc();
    long spawner = 0;
    for (ProcessHandle process : platform.scratch().processes()) {
      spawner += resident(process.pid());
    }
    return new Held(
        HostState.of(platform.scratch()),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        spawner,
        platform.layerImages());
  }

  private static long resident(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
        .filter(line -> line.startsWith(RESIDENT))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .sum();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s, %d threads, %d MB of heap, spawner %d KB, %d layers",
        host.counts(),
        threads,
        heapBytes >> 20,
        spawnerBytes >> 10,
        layers);
  }
}
