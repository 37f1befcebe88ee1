// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.load.measure.Findings;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts things by name. Thread-safe. */
final class Tally {

  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

  void add(String name) {
    add(name, 1);
  }

  void add(String name, long count) {
    counts.computeIfAbsent(name, _ -> new LongAdder()).add(count);
  }

  long of(String name) {
    LongAdder count = counts.get(name);
    return count == null ? 0 : count.sum();
  }

  void report(Findings findings) {
    new TreeMap<>(counts).forEach((name, count) -> findings.figure(name, (double) count.sum()));
  }
}
