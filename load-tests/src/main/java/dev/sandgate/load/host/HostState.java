// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * How many things of a platform the host holds.
 *
 * @param counts by kind
 */
public record HostState(Map<String, Long> counts) {

  // Connections between node and spawner, and files that the JVM opens as it goes: however many
  // sandboxes there are.
  private static final long OTHER_DESCRIPTORS = 16;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What there is more of than before, one line each, after what ends by itself has had its time. */
  public static List<String> left(HostState before, Scratch scratch) throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    List<String> left = of(scratch).moreThan(before);
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      left = of(scratch).moreThan(before);
    }
    return left;
  }

  /** Without numbers of open files, which differ when processes were started anew: they count as boundless. */
  public HostState withoutDescriptors() {
    Map<String, Long> rest = new LinkedHashMap<>(counts);
    counts.keySet().stream()
        .filter(kind -> kind.endsWith("descriptors"))
        .forEach(kind -> rest.put(kind, Long.MAX_VALUE - OTHER_DESCRIPTORS));
    return new HostState(rest);
  }

  /** Looks at the host now. */
  public static HostState of(Scratch scratch) throws IOException {
    Map<String, Long> counts = new LinkedHashMap<>();
    List<Path> cgroups = scratch.cgroups();
    counts.put("cgroups", (long) cgroups.size());
    counts.put("processes in cgroups", processes(cgroups));
    counts.put("host mounts", mounts("self", scratch.directory().toString()));
    for (ProcessHandle helper : scratch.processes()) {
      String pid = Long.toString(helper.pid());
      counts.merge("spawner mounts", mounts(pid, "/"), Long::sum);
      counts.merge("spawner descriptors", entries(Path.of("/proc", pid, "fd")), Long::sum);
    }
    counts.put("node descriptors", entries(Path.of("/proc/self/fd")));
    try (Stream<Path> uppers = Files.walk(scratch.directory(), 6)) {
      counts.put("writable directories", uppers.filter(HostState::isUpper).count());
    }
    return new HostState(counts);
  }

  private static boolean isUpper(Path path) {
    Path parent = path.getParent();
    return parent != null && parent.endsWith("uppers");
  }

  private static long processes(List<Path> cgroups) throws IOException {
    long processes = 0;
    for (Path cgroup : cgroups) {
      Path list = cgroup.resolve("cgroup.procs");
      processes += Files.exists(list) ? Files.readAllLines(list).size() : 0;
    }
    return processes;
  }

  private static long mounts(String process, String containing) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc", process, "mountinfo"))) {
      return lines.filter(line -> line.contains(containing)).count();
    }
  }

  private static long entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  /** What there is more of now, one line each. */
  List<String> moreThan(HostState before) {
    List<String> more = new ArrayList<>();
    counts.forEach(
        (kind, count) -> {
          long was = before.counts.getOrDefault(kind, 0L);
          long allowed = kind.endsWith("descriptors") ? OTHER_DESCRIPTORS : 0;
          if (count > was + allowed) {
            more.add(kind + ": " + was + " before, " + count + " after");
          }
        });
    return more;
  }
}
