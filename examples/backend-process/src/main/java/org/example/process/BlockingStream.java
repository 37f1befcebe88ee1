// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * A stream whose items come from a blocking call, made on one virtual thread and only when there is demand.
 *
 * @param <T> the items
 */
final class BlockingStream<T> implements Flow.Subscription {

  /** Where items come from. */
  interface Source<T> {
    /** Waits for the next item; empty at the end. */
    Optional<T> next() throws InterruptedException, IOException;

    /** Called once, whatever ended the stream. */
    default void close() throws IOException {}
  }

  private final Source<T> source;
  private final CompletableFuture<Void> lost;
  private final Flow.Subscriber<? super T> subscriber;
  private final Thread thread = Thread.ofVirtual().unstarted(this::run);
  private long demand;
  private boolean cancelled;

  private BlockingStream(
      Source<T> source, CompletableFuture<Void> lost, Flow.Subscriber<? super T> subscriber) {
    this.source = source;
    this.lost = lost;
    this.subscriber = subscriber;
  }

  /**
   * The stream of a source.
   *
   * @param lost completes when the sandbox is gone, which the subscriber learns without having asked
   */
  static <T> Multi<T> of(Source<T> source, CompletableFuture<Void> lost) {
    return Multi.createFrom()
        .publisher(
            subscriber -> {
              BlockingStream<T> stream = new BlockingStream<>(source, lost, subscriber);
              subscriber.onSubscribe(stream);
              stream.thread.start();
              lost.thenRun(stream.thread::interrupt);
            });
  }

  @Override
  public synchronized void request(long n) {
    demand = demand > Long.MAX_VALUE - n ? Long.MAX_VALUE : demand + n;
    notifyAll();
  }

  @Override
  public synchronized void cancel() {
    cancelled = true;
    thread.interrupt();
  }

  private void run() {
    try {
      if (deliver()) {
        subscriber.onComplete();
      }
    } catch (InterruptedException | IOException | RuntimeException e) {
      if (!cancelled()) {
        subscriber.onError(lost.isDone() ? gone(e) : HomeFiles.typed("", e));
      }
    }
  }

  /** Delivers until the end; false when the subscriber cancelled. */
  private boolean deliver() throws InterruptedException, IOException {
    try {
      while (true) {
        awaitDemand();
        Optional<T> item = source.next();
        if (cancelled()) {
          return false;
        }
        if (lost.isDone()) {
          throw new InterruptedException("the sandbox is gone");
        }
        if (item.isEmpty()) {
          return true;
        }
        subscriber.onNext(item.get());
      }
    } finally {
      source.close();
    }
  }

  private synchronized void awaitDemand() throws InterruptedException {
    while (demand == 0) {
      wait();
    }
    demand = demand == Long.MAX_VALUE ? demand : demand - 1;
  }

  private synchronized boolean cancelled() {
    return cancelled;
  }

  private static SandgateException gone(Exception e) {
    return new SandgateException(ErrorCode.SANDBOX_LOST, "", "the sandbox is gone", e);
  }
}
