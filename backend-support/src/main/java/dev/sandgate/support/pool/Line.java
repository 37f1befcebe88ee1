// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who waits for a spare, in the order they came; guarded by the pool's lock. */
final class Line<K, S extends Spare> {

  private final Supplier<Condition> conditions;
  private final Deque<Waiter<K, S>> waiters = new ArrayDeque<>();
  private boolean over;

  /** One that waits. */
  private static final class Waiter<K, S extends Spare> {
    final K key;
    final Condition given;
    @Nullable S spare;

    Waiter(K key, Condition given) {
      this.key = key;
      this.given = given;
    }
  }

  Line(Supplier<Condition> conditions) {
    this.conditions = conditions;
  }

  boolean isEmpty() {
    return waiters.isEmpty();
  }

  /** How many wait for this kind. */
  int of(K key) {
    return (int) waiters.stream().filter(waiter -> waiter.key.equals(key)).count();
  }

  /** Waits until one was given, the time is over, or it was left; {@code begun} runs when it stands in line. */
  Optional<S> await(K key, long nanos, BooleanSupplier left, Runnable begun)
      throws InterruptedException {
    Waiter<K, S> waiter = new Waiter<>(key, conditions.get());
    waiters.add(waiter);
    begun.run();
    long remaining = nanos;
    try {
      while (waiter.spare == null && remaining > 0 && !over && !left.getAsBoolean()) {
        remaining = waiter.given.awaitNanos(remaining);
      }
      return Optional.ofNullable(waiter.spare);
    } finally {
      waiters.remove(waiter);
    }
  }

  /** Gives it to the first who waits for its kind; false when there is none. */
  boolean give(K key, S spare) {
    for (Iterator<Waiter<K, S>> all = waiters.iterator(); all.hasNext(); ) {
      Waiter<K, S> waiter = all.next();
      if (waiter.key.equals(key)) {
        all.remove();
        waiter.spare = spare;
        waiter.given.signal();
        return true;
      }
    }
    return false;
  }

  /** Nobody gets anything any more. */
  void close() {
    over = true;
    wake();
  }

  /** Has all look whether they have left. */
  void wake() {
    waiters.forEach(waiter -> waiter.given.signal());
  }
}
