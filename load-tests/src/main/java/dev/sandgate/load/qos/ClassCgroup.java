// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.qos;

import dev.sandgate.load.host.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The cgroup of the best-effort class of a node, wherever its files are.
 *
 * @param weights where its weight is set
 * @param counted where its CPU time is counted
 */
record ClassCgroup(Path weights, Path counted) {

  private static final String COUNTER = "usage_usec ";

  static ClassCgroup bestEffortOf(Scratch scratch) throws IOException {
    List<Path> places =
        scratch.cgroups().stream()
            .filter(path -> path.endsWith(Path.of(scratch.name(), "be")))
            .toList();
    return new ClassCgroup(having(places, "cpu.idle"), having(places, "cgroup.kill"));
  }

  private static Path having(List<Path> places, String file) throws IOException {
    return places.stream()
        .filter(place -> Files.exists(place.resolve(file)))
        .findFirst()
        .orElseThrow(() -> new IOException("no cgroup of best effort has a " + file));
  }

  /** Its CPU time so far, microseconds. */
  long cpuMicros() throws IOException {
    return Files.readAllLines(counted.resolve("cpu.stat")).stream()
        .filter(line -> line.startsWith(COUNTER))
        .mapToLong(line -> Long.parseLong(line.substring(COUNTER.length())))
        .findFirst()
        .orElseThrow();
  }

  /** Makes it what it is. */
  void setIdle() throws IOException {
    Files.writeString(weights.resolve("cpu.idle"), "1");
  }

  /** Gives it the least weight instead. */
  void setLeastWeight() throws IOException {
    Files.writeString(weights.resolve("cpu.idle"), "0");
    Path shares = weights.resolve("cpu.shares");
    boolean first = Files.exists(shares);
    Files.writeString(first ? shares : weights.resolve("cpu.weight"), first ? "2" : "1");
  }
}
