// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Access to a storage that may hang: on a few threads of its own, each waited for as long as it moves and no longer. A
 * thread that hangs is given up, not waited for; when all do, further calls fail in time too. Blocks; any thread.
 */
final class Access implements AutoCloseable {

  private static final int THREADS = 8;
  private static final int WAITING = 1_024;
  private static final long IDLE_SECONDS = 30;

  private final String place;
  private final long patienceNanos;
  private final ThreadPoolExecutor threads;
  private volatile String failure = "";

  Access(String place, Duration patience) {
    this.place = place;
    this.patienceNanos = patience.toNanos();
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            Thread.ofPlatform().daemon().name("shared-layers-", 0).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  /** What is done there. */
  @FunctionalInterface
  interface Work<T> {
    /** Does it; tells {@code clock} whenever it got on. */
    T run(Clock clock) throws IOException;
  }

  /** When something last got on. */
  static final class Clock {
    private volatile long moved = System.nanoTime();

    void move() {
      moved = System.nanoTime();
    }
  }

  /** The result of work; LAYERS_UNAVAILABLE with the setting's name when it fails or hangs. */
  <T> T call(String what, Work<T> work) {
    Clock clock = new Clock();
    Future<T> running = submit(what, work, clock);
    try {
      T result = await(running, clock);
      failure = "";
      return result;
    } catch (TimeoutException e) {
      running.cancel(true);
      throw unavailable(
          what,
          "it did not answer within %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(patienceNanos)),
          e);
    } catch (InterruptedException e) {
      running.cancel(true);
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    } catch (ExecutionException e) {
      throw failed(what, e.getCause());
    }
  }

  private <T> Future<T> submit(String what, Work<T> work, Clock clock) {
    try {
      return threads.submit(() -> work.run(clock));
    } catch (RejectedExecutionException e) {
      throw unavailable(what, "too many calls wait for it", e);
    }
  }

  private <T> T await(Future<T> running, Clock clock)
      throws InterruptedException, ExecutionException, TimeoutException {
    while (true) {
      long left = patienceNanos - (System.nanoTime() - clock.moved);
      try {
        return running.get(Math.max(0, left), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        if (System.nanoTime() - clock.moved >= patienceNanos) {
          throw e;
        }
      }
    }
  }

  /** Why the last call failed; empty when it did not. */
  String failure() {
    return failure;
  }

  private RuntimeException failed(String what, @Nullable Throwable cause) {
    return switch (cause) {
      case SandgateException known -> known;
      case IOException io -> unavailable(what, reason(io), io);
      case RuntimeException other -> other;
      case null, default -> new IllegalStateException(cause);
    };
  }

  private static String reason(IOException failure) {
    String name = failure.getClass().getSimpleName();
    return switch (failure) {
      case java.nio.file.NoSuchFileException gone -> gone.getFile() + " is not there";
      case java.nio.file.AccessDeniedException denied -> denied.getFile() + " may not be used";
      default -> failure.getMessage() == null ? name : name + ": " + failure.getMessage();
    };
  }

  private SandgateException unavailable(String what, String why, Throwable cause) {
    failure = "cannot " + what + ": " + why;
    return new SandgateException(
        ErrorCode.LAYERS_UNAVAILABLE,
        "node.shared-layers",
        "node.shared-layers: cannot %s in %s: %s; see that it is there, or correct the setting"
            .formatted(what, place, why),
        cause);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
