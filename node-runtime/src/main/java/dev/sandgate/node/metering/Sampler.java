// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import dev.sandgate.node.rpc.Blocking;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Measures the living sandboxes of one backend, one after the other, each when its time has come: never in bursts, and never
 * more than its share of a tick. Young sandboxes are measured more often, as many do not grow old.
 */
final class Sampler<T> {

  private static final int MOST_PER_TICK = 50;
  private static final long YOUNGEST_MILLIS = 1_000;
  private static final long RECORD_MILLIS = 60_000;
  private static final long NEVER = 0;

  private final Work<T> work;
  private final long periodMillis;
  private final LongSupplier clock;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final PriorityQueue<Due<T>> queue =
      new PriorityQueue<>(Comparator.comparingLong(Due::at));

  /**
   * What is done to sandboxes, on virtual threads.
   *
   * @param <T> a sandbox
   */
  interface Work<T> {

    /** Whether it is to be measured at all. */
    boolean lives(T one);

    /** Since when it is there, milliseconds since the epoch. */
    long since(T one);

    /** Takes one reading; may block, does not fail. */
    void measure(T one);

    /** Records what was counted: the first time, and about once a minute. */
    void record(List<T> some);
  }

  /**
   * When a sandbox is to be measured.
   *
   * @param one which
   * @param at when, milliseconds since the epoch
   * @param recorded when it was recorded last
   */
  private record Due<T>(T one, long at, long recorded) {}

  /**
   * Measures nothing yet.
   *
   * @param work what is done to sandboxes
   * @param periodMillis between two readings of an old sandbox
   * @param clock milliseconds since the epoch, without jumps
   */
  Sampler(Work<T> work, long periodMillis, LongSupplier clock) {
    this.work = work;
    this.periodMillis = periodMillis;
    this.clock = clock;
  }

  /** Measures it from now on until it ends. */
  synchronized void add(T one) {
    long now = clock.getAsLong();
    queue.add(new Due<>(one, now + Math.min(YOUNGEST_MILLIS, periodMillis), NEVER));
  }

  /** Begins what is due, in the background; called ten times a second. */
  void tick() {
    if (anyDue() && busy.compareAndSet(false, true)) {
      Blocking.background(
          "measuring sandboxes",
          () -> {
            try {
              run();
            } finally {
              busy.set(false);
            }
          });
    }
  }

  /** Whether nothing is under way. */
  boolean resting() {
    return !busy.get();
  }

  private synchronized boolean anyDue() {
    Due<T> first = queue.peek();
    return first != null && first.at() <= clock.getAsLong();
  }

  private void run() {
    List<T> old = new ArrayList<>();
    for (Due<T> due : due()) {
      if (work.lives(due.one())) {
        work.measure(due.one());
        again(due, old);
      }
    }
    if (!old.isEmpty()) {
      work.record(old);
    }
  }

  private synchronized List<Due<T>> due() {
    List<Due<T>> due = new ArrayList<>();
    long now = clock.getAsLong();
    while (due.size() < MOST_PER_TICK && !queue.isEmpty() && queue.peek().at() <= now) {
      due.add(queue.remove());
    }
    return due;
  }

  private synchronized void again(Due<T> due, List<T> old) {
    long now = clock.getAsLong();
    boolean stale = now - due.recorded() >= RECORD_MILLIS;
    if (stale) {
      old.add(due.one());
    }
    long age = now - work.since(due.one());
    long wait = Math.min(periodMillis, Math.max(YOUNGEST_MILLIS, age / 2));
    queue.add(new Due<>(due.one(), now + wait, stale ? now : due.recorded()));
  }
}
