// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The spares of one kind that wait; guarded by the pool's lock. */
final class Shelf<S extends Spare> {

  private final Deque<S> waiting = new ArrayDeque<>();
  private final Demand demand;
  private int making;

  Shelf(Demand demand) {
    this.demand = demand;
  }

  Demand demand() {
    return demand;
  }

  int waiting() {
    return waiting.size();
  }

  int making() {
    return making;
  }

  boolean isEmpty() {
    return waiting.isEmpty() && making == 0;
  }

  void begin() {
    making++;
  }

  void end() {
    making--;
  }

  void put(S spare) {
    waiting.addLast(spare);
  }

  /** The one that came last, if it can be used; others are handed out on the way. */
  Optional<S> take(List<S> unusable) {
    for (S spare = waiting.pollLast(); spare != null; spare = waiting.pollLast()) {
      if (spare.isUsable()) {
        return Optional.of(spare);
      }
      unusable.add(spare);
    }
    return Optional.empty();
  }

  boolean remove(S spare) {
    return waiting.remove(spare);
  }

  Optional<S> takeOldest() {
    return Optional.ofNullable(waiting.pollFirst());
  }

  long memoryBytes() {
    return waiting.stream().mapToLong(Spare::memoryBytes).sum();
  }

  /** How many are missing; below 0, how many are too many. */
  int missing(PoolBounds bounds) {
    return demand.wanted(bounds) - waiting.size() - making;
  }
}
