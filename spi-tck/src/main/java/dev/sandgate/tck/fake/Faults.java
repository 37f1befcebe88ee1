// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong in a {@link FakeBackend}, by named point: a failure, a delay or a hang, each until cleared
 * or a number of times. Also counts how often each point was passed. Thread-safe.
 */
public final class Faults {

  /** Where something can go wrong; each is passed before the step has any effect, except where said. */
  public enum Point {
    /** {@code Backend.probe}: a failure makes the probe unavailable. */
    PROBE,
    /** {@code Backend.create}, before the sandbox exists. */
    CREATE,
    /** {@code Backend.create}, when the sandbox exists but the caller does not have it. */
    CREATED,
    /** {@code Backend.adopt}. */
    ADOPT,
    /** {@code Sandbox.exec}, before the command runs. */
    EXEC,
    /** {@code Sandbox.exec}, when the command runs but the caller does not know. */
    STARTED,
    /** Before each item of output reaches the subscriber. */
    OUTPUT,
    /** Before the exit reaches the subscriber. */
    EXIT,
    /** {@code Sandbox.attach}. */
    ATTACH,
    /** {@code Exec.write}. */
    WRITE,
    /** {@code Exec.signal}. */
    SIGNAL,
    /** {@code Exec.release}. */
    RELEASE,
    /** Each file operation. */
    FILES,
    /** {@code Sandbox.connect}. */
    CONNECT,
    /** {@code Sandbox.usage}. */
    USAGE,
    /** {@code Sandbox.pause}, {@code resume} and {@code reset}. */
    PAUSE,
    /** {@code Sandbox.destroy}, before anything is removed. */
    DESTROY
  }

  private static final class Fault {
    final CompletableFuture<Void> cleared = new CompletableFuture<>();
    final @Nullable ErrorCode code;
    final long delayNanos;
    int times;

    Fault(@Nullable ErrorCode code, long delayNanos, int times) {
      this.code = code;
      this.delayNanos = delayNanos;
      this.times = times;
    }
  }

  private final Map<Point, Fault> faults = new EnumMap<>(Point.class);
  private final Map<Point, Integer> passed = new EnumMap<>(Point.class);

  /** Nothing goes wrong yet. */
  public Faults() {}

  /**
   * Fails every pass from now on.
   *
   * @param point where
   * @param code the kind of failure
   */
  public void fail(Point point, ErrorCode code) {
    fail(point, code, Integer.MAX_VALUE);
  }

  /**
   * Fails the next passes.
   *
   * @param point where
   * @param code the kind of failure
   * @param times how many passes, at least 1
   */
  public void fail(Point point, ErrorCode code, int times) {
    put(point, new Fault(code, 0, times));
  }

  /**
   * Delays every pass from now on.
   *
   * @param point where
   * @param delay how long
   */
  public void delay(Point point, Duration delay) {
    put(point, new Fault(null, delay.toNanos(), Integer.MAX_VALUE));
  }

  /**
   * Lets every pass hang until {@link #clear} or its cancellation.
   *
   * @param point where
   */
  public void hang(Point point) {
    put(point, new Fault(null, Long.MAX_VALUE, Integer.MAX_VALUE));
  }

  /**
   * Lets what hangs go on, and nothing goes wrong there any more.
   *
   * @param point where
   */
  public synchronized void clear(Point point) {
    Fault fault = faults.remove(point);
    if (fault != null) {
      fault.cleared.complete(null);
    }
  }

  /** Clears every point. */
  public void clear() {
    for (Point point : Point.values()) {
      clear(point);
    }
  }

  /**
   * How often a point was reached, whatever happened there.
   *
   * @param point which
   * @return a count since the beginning
   */
  public synchronized int passed(Point point) {
    return passed.getOrDefault(point, 0);
  }

  private synchronized void put(Point point, Fault fault) {
    clear(point);
    faults.put(point, fault);
  }

  /** The settings {@code fault.<point>}: {@code fail CODE [times]}, {@code delay MILLIS} or {@code hang}. */
  void read(Map<String, String> settings) {
    settings.forEach(
        (key, value) -> {
          if (key.startsWith("fault.")) {
            set(Point.valueOf(key.substring(6).toUpperCase(Locale.ROOT)), value.split(" ", -1));
          }
        });
  }

  private void set(Point point, String[] words) {
    switch (words[0]) {
      case "fail" ->
          fail(
              point,
              ErrorCode.valueOf(words[1]),
              words.length > 2 ? Integer.parseInt(words[2]) : Integer.MAX_VALUE);
      case "delay" -> delay(point, Duration.ofMillis(Long.parseLong(words[1])));
      case "hang" -> hang(point);
      default -> throw SandgateException.invalid("fault." + point, "unknown fault " + words[0]);
    }
  }

  /** Goes through a point on a thread that may block. */
  void pass(Point point) throws InterruptedException {
    Fault fault = next(point);
    if (fault == null) {
      return;
    }
    if (fault.code != null) {
      throw new SandgateException(fault.code, "fault at " + point);
    }
    try {
      fault.cleared.get(fault.delayNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException delayIsOver) {
      return;
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private synchronized @Nullable Fault next(Point point) {
    passed.merge(point, 1, Integer::sum);
    Fault fault = faults.get(point);
    if (fault != null && fault.times != Integer.MAX_VALUE && --fault.times == 0) {
      faults.remove(point);
    }
    return fault;
  }
}
