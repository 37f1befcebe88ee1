// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls for which there was neither a worker nor a place, in the order they came; guarded by the pool's lock. */
final class Queue<W extends Pooled> {

  private final Supplier<Condition> conditions;
  private final Deque<Waiter<W>> waiters = new ArrayDeque<>();

  /** A call in the queue: it gets a worker, or the right to make one. */
  static final class Waiter<W extends Pooled> {
    private final WorkerKey key;
    private final Condition granted;
    private boolean settled;
    private @Nullable W worker;

    private Waiter(WorkerKey key, Condition granted) {
      this.key = key;
      this.granted = granted;
    }

    /** Whether it got one of both. */
    boolean settled() {
      return settled;
    }

    /** The worker it got; nothing when it is to make one. */
    Optional<W> worker() {
      return Optional.ofNullable(worker);
    }

    private void grant(@Nullable W given) {
      settled = true;
      worker = given;
      granted.signal();
    }
  }

  Queue(Supplier<Condition> conditions) {
    this.conditions = conditions;
  }

  int length() {
    return waiters.size();
  }

  /** Waits until something was granted, the time is over, or the pool is closed. */
  Waiter<W> await(WorkerKey key, Duration within, BooleanSupplier closed)
      throws InterruptedException {
    Waiter<W> waiter = new Waiter<>(key, conditions.get());
    waiters.add(waiter);
    try {
      long left = within.toNanos();
      while (!waiter.settled && left > 0 && !closed.getAsBoolean()) {
        left = waiter.granted.awaitNanos(left);
      }
      return waiter;
    } finally {
      waiters.remove(waiter);
    }
  }

  /** Lets the first one make a worker. */
  void grantPlace() {
    waiters.remove().grant(null);
  }

  /** Gives a worker to the first one that can use it; false when there is none. */
  boolean grant(WorkerKey key, W worker) {
    for (Iterator<Waiter<W>> all = waiters.iterator(); all.hasNext(); ) {
      Waiter<W> waiter = all.next();
      if (waiter.key.equals(key)) {
        all.remove();
        waiter.grant(worker);
        return true;
      }
    }
    return false;
  }

  /** Makes everybody look again. */
  void wakeAll() {
    waiters.forEach(waiter -> waiter.granted.signal());
  }
}
