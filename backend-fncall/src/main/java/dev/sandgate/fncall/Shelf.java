// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

/** The workers of one key that wait, and how many were wanted lately; guarded by the pool's lock. */
final class Shelf<W extends Pooled> {

  private final Deque<W> idle = new ArrayDeque<>();
  private int busy;
  private int filling;
  private int mark;
  private long usedNanos;

  /** A call came. */
  void begin(long nowNanos) {
    usedNanos = nowNanos;
    busy++;
    mark = Math.max(mark, busy);
  }

  /** A call has ended. */
  void end() {
    busy--;
  }

  void fill() {
    filling++;
  }

  void filled() {
    filling--;
  }

  /** The one that came last, if it lives; dead ones are handed out on the way. */
  Optional<W> take(Consumer<W> dead) {
    for (W worker = idle.pollLast(); worker != null; worker = idle.pollLast()) {
      if (worker.isAlive()) {
        return Optional.of(worker);
      }
      dead.accept(worker);
    }
    return Optional.empty();
  }

  /** The one that waits longest. */
  Optional<W> takeOldest() {
    return Optional.ofNullable(idle.pollFirst());
  }

  void put(W worker) {
    idle.addLast(worker);
  }

  int idle() {
    return idle.size();
  }

  /** How many are to wait, of at most so many. */
  int target(int most) {
    return Math.min(most, mark);
  }

  /** How many more are to be made. */
  int missing(int most) {
    return target(most) - idle.size() - filling;
  }

  /** A second has passed. */
  void fade(boolean unused) {
    mark = Math.max(busy, unused ? 0 : Math.max(1, mark - 1));
  }

  boolean isUnused(long nowNanos, long keepNanos) {
    return nowNanos - usedNanos > keepNanos;
  }

  /** Whether nothing of it is anywhere. */
  boolean isEmpty() {
    return busy == 0 && filling == 0 && idle.isEmpty();
  }
}
