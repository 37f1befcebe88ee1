// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Waits for asynchronous results with a deadline: nothing in the suite waits without one. */
final class Waiting {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  private Waiting() {}

  static <T> T on(Uni<T> uni) {
    return on(uni.subscribeAsCompletionStage());
  }

  static <T> T on(Uni<T> uni, Duration patience) {
    return on(uni.subscribeAsCompletionStage(), patience);
  }

  static <T> T on(CompletableFuture<T> future) {
    return on(future, PATIENCE);
  }

  static <T> T on(CompletableFuture<T> future, Duration patience) {
    try {
      return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw rethrown(causeOf(e));
    } catch (TimeoutException e) {
      future.cancel(true);
      throw new AssertionError("nothing within " + patience, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /**
   * Asks, leaves after a while, and gives what came nevertheless, which is the caller's. A cancelled future would not do: what
   * comes while it is being cancelled it drops, and nobody hears of it.
   */
  static <T> CompletableFuture<T> left(Uni<T> uni, long nanos) {
    CompletableFuture<T> given = new CompletableFuture<>();
    Cancellable asked = uni.subscribe().with(given::complete, given::completeExceptionally);
    LockSupport.parkNanos(nanos);
    asked.cancel();
    return given;
  }

  /** What ended so far ended well. */
  static void noneFailed(List<? extends CompletableFuture<?>> all) {
    all.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(Waiting::on);
  }

  private static RuntimeException rethrown(Throwable cause) {
    return switch (cause) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> throw new AssertionError(cause);
    };
  }

  private static Throwable causeOf(ExecutionException e) {
    Throwable cause = e.getCause();
    return cause == null ? e : cause;
  }

  /** The typed error that a result must fail with. */
  static ErrorCode codeOf(Uni<?> uni) {
    return codeOf(failureOf(uni.subscribeAsCompletionStage()));
  }

  static ErrorCode codeOf(Throwable failure) {
    return assertInstanceOf(SandgateException.class, failure, () -> "untyped " + failure).code();
  }

  static Throwable failureOf(CompletableFuture<?> future) {
    try {
      Object value = future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      throw new AssertionError("a failure was expected, got " + value);
    } catch (ExecutionException e) {
      return causeOf(e);
    } catch (TimeoutException e) {
      throw new AssertionError("neither failed nor succeeded within " + PATIENCE, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
