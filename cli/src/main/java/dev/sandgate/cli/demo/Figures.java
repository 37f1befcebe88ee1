// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the demo measured, and what went wrong. */
final class Figures {

  private static final int SHOWN_FAILURES = 20;

  final Latencies create = new Latencies();
  final Latencies exec = new Latencies();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final List<Long> memoryBytes = new ArrayList<>();
  private Duration createWall = Duration.ZERO;
  private Duration execWall = Duration.ZERO;
  private int isolated;

  void fail(String what) {
    failures.add(what);
  }

  List<String> failures() {
    return failures.stream().limit(SHOWN_FAILURES).toList();
  }

  int failed() {
    return failures.size();
  }

  void created(Duration wall) {
    createWall = wall;
  }

  void executed(Duration wall) {
    execWall = wall;
  }

  void isolated(int count) {
    isolated = count;
  }

  int isolated() {
    return isolated;
  }

  void memory(List<Long> bytes) {
    memoryBytes.addAll(bytes);
    memoryBytes.sort(null);
  }

  long medianMemoryBytes() {
    return memoryBytes.isEmpty() ? 0 : memoryBytes.get(memoryBytes.size() / 2);
  }

  double createsPerSecond() {
    return rate(create.count(), createWall);
  }

  double execsPerSecond() {
    return rate(exec.count(), execWall);
  }

  private static double rate(long count, Duration wall) {
    return wall.isZero() ? 0 : count * 1e9 / wall.toNanos();
  }
}
