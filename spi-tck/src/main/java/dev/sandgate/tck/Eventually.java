// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Polls a condition until it holds or a deadline passes; the one way a test waits for something. */
public final class Eventually {

  /** How long a condition may take when a test says nothing. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final long PAUSE_NANOS = 5_000_000;

  private Eventually() {}

  /**
   * Waits until a condition holds.
   *
   * @param what the condition in words, for the failure
   * @param condition asked every 5 ms
   */
  public static void holds(String what, BooleanSupplier condition) {
    value(what, () -> condition.getAsBoolean(), held -> held);
  }

  /**
   * Waits up to {@link #PATIENCE} until a value is accepted.
   *
   * @param what the expectation in words, for the failure
   * @param read reads the value
   * @param accepted whether it is the wanted one
   * @param <T> the value's type
   * @return the accepted value
   */
  public static <T> T value(String what, Supplier<T> read, Predicate<T> accepted) {
    return value(what, PATIENCE, read, accepted);
  }

  /**
   * Waits until a value is accepted.
   *
   * @param what the expectation in words, for the failure
   * @param patience how long to wait
   * @param read reads the value
   * @param accepted whether it is the wanted one
   * @param <T> the value's type
   * @return the accepted value
   * @throws AssertionError when the deadline passes; it has the last value
   */
  public static <T> T value(
      String what, Duration patience, Supplier<T> read, Predicate<T> accepted) {
    long start = System.nanoTime();
    T last = read.get();
    while (!accepted.test(last)) {
      if (System.nanoTime() - start > patience.toNanos() || Thread.interrupted()) {
        throw new AssertionError("not within " + patience + ": " + what + "; last seen: " + last);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
      last = read.get();
    }
    return last;
  }

  /**
   * Waits until a value stays the same for a while.
   *
   * @param what the value in words, for the failure
   * @param still how long it must not change
   * @param read reads the value
   * @param <T> the value's type
   * @return the value
   */
  public static <T> T settles(String what, Duration still, Supplier<T> read) {
    Settled<T> settled = new Settled<>(read, still.toNanos());
    value(what + " settles", PATIENCE.plus(still), settled::poll, done -> done);
    return settled.last;
  }

  private static final class Settled<T> {
    private final Supplier<T> read;
    private final long stillNanos;
    private T last;
    private long since = System.nanoTime();

    Settled(Supplier<T> read, long stillNanos) {
      this.read = read;
      this.stillNanos = stillNanos;
      this.last = read.get();
    }

    boolean poll() {
      T now = read.get();
      if (!now.equals(last)) {
        last = now;
        since = System.nanoTime();
      }
      return System.nanoTime() - since >= stillNanos;
    }
  }
}
