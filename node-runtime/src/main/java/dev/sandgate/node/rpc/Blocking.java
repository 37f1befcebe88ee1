// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Blocking code on virtual threads, and waiting for asynchronous code there. */
public final class Blocking {

  private static final Logger LOG = LoggerFactory.getLogger(Blocking.class);
  private static final ExecutorService THREADS =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("sandgate-node-", 0).factory());

  private Blocking() {}

  /** Runs code on a virtual thread when subscribed; cancelling interrupts it. */
  public static <T> Uni<T> call(Callable<T> code) {
    return Uni.createFrom()
        .emitter(
            emitter -> {
              Future<?> running =
                  THREADS.submit(
                      () -> {
                        try {
                          emitter.complete(code.call());
                        } catch (Exception | LinkageError e) {
                          emitter.fail(e);
                        }
                      });
              emitter.onTermination(() -> running.cancel(true));
            });
  }

  /** Starts code on a virtual thread; the future has its outcome, cancelling it interrupts nothing. */
  public static <T> CompletableFuture<T> start(Callable<T> code) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    THREADS.execute(
        () -> {
          try {
            outcome.complete(code.call());
          } catch (Exception | LinkageError e) {
            outcome.completeExceptionally(e);
          }
        });
    return outcome;
  }

  /** Runs code on a virtual thread that nobody waits for; its failure is logged. */
  public static void background(String what, Action code) {
    report(
        what,
        start(
            () -> {
              code.run();
              return what;
            }));
  }

  /** Logs the failure of something that nobody waits for. */
  public static void report(String what, CompletableFuture<?> outcome) {
    var _ =
        outcome.whenComplete(
            (_, failure) -> {
              if (failure != null) {
                LOG.error("{} failed", what, failure);
              }
            });
  }

  /** Code that may block and fail. */
  @FunctionalInterface
  public interface Action {
    /** Runs it. */
    void run() throws Exception;
  }

  /**
   * Waits on a virtual thread.
   *
   * @param work cancelled when the time passes or the thread is interrupted
   * @param timeoutMillis at most this long, else DEADLINE_EXCEEDED
   */
  public static <T> T await(Uni<T> work, long timeoutMillis) {
    CompletableFuture<T> future = work.subscribeAsCompletionStage();
    try {
      return await(future, timeoutMillis);
    } finally {
      future.cancel(true);
    }
  }

  /** Waits on a virtual thread for something that others wait for too, and that goes on after it. */
  public static <T> T await(CompletableFuture<T> future, long timeoutMillis) {
    try {
      return future.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new SandgateException(
          ErrorCode.DEADLINE_EXCEEDED, "", "not done within " + timeoutMillis + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    } catch (ExecutionException e) {
      throw Failures.known(e);
    }
  }
}
