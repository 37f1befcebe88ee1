// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A stream whose items come from a blocking call, made on one virtual thread and only when there is demand.
 *
 * @param <T> the items
 */
final class BlockingStream<T> implements Flow.Publisher<T> {

  /** Where items come from. */
  interface Source<T> {
    /** Waits for the next item; empty at the end. */
    Optional<T> next() throws InterruptedException;

    /** Called when the subscriber has taken the item. */
    default void taken(T item) {}

    /** Completes when the source breaks: the subscriber must learn it without having asked for more. */
    default CompletableFuture<Void> broken() {
      return new CompletableFuture<>();
    }
  }

  private final Source<T> source;
  private final AtomicBoolean used = new AtomicBoolean();

  private BlockingStream(Source<T> source) {
    this.source = source;
  }

  static <T> Multi<T> of(Source<T> source) {
    return Multi.createFrom().publisher(new BlockingStream<>(source));
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    Reader reader = new Reader(subscriber);
    subscriber.onSubscribe(reader);
    if (used.compareAndSet(false, true)) {
      reader.thread.start();
      var _ = source.broken().thenRun(reader.thread::interrupt);
    } else {
      subscriber.onError(new IllegalStateException("one subscriber, once"));
    }
  }

  private final class Reader implements Flow.Subscription {

    private final Flow.Subscriber<? super T> subscriber;
    private final Thread thread = Thread.ofVirtual().unstarted(this::run);
    private long demand;
    private boolean cancelled;

    Reader(Flow.Subscriber<? super T> subscriber) {
      this.subscriber = subscriber;
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
        while (true) {
          awaitDemand();
          Optional<T> item = source.next();
          if (isCancelled()) {
            return;
          }
          if (item.isEmpty()) {
            subscriber.onComplete();
            return;
          }
          subscriber.onNext(item.get());
          source.taken(item.get());
        }
      } catch (InterruptedException | RuntimeException e) {
        if (!isCancelled()) {
          subscriber.onError(source.broken().isDone() ? lost(e) : e);
        }
      }
    }

    private static SandgateException lost(Exception e) {
      return new SandgateException(ErrorCode.SANDBOX_LOST, "", "the sandbox is gone", e);
    }

    private synchronized void awaitDemand() throws InterruptedException {
      while (demand == 0 && !source.broken().isDone()) {
        wait();
      }
      demand = demand == Long.MAX_VALUE ? demand : demand - 1;
    }

    private synchronized boolean isCancelled() {
      return cancelled;
    }
  }
}
