// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import io.smallrye.mutiny.helpers.Subscriptions;
import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@code Multi} for one subscriber, filled on a link's event loop and emptied as far as the subscriber asks. What waits
 * is kept by the owner, which bounds it through the guest's window.
 */
final class DemandStream<T> extends AbstractMulti<T> implements Flow.Subscription {

  /** Where items come from; called on the event loop only. */
  interface Source<T> {
    /** The next item that waits, or null. */
    @Nullable T poll();

    /** Whether nothing waits. */
    boolean isEmpty();

    /** The item was handed over and {@code onNext} returned. */
    void delivered(T item);

    /** Everything was handed over and more is wanted. */
    void wanting();

    /** The subscriber left. */
    void cancelled();
  }

  private static final Logger LOG = LoggerFactory.getLogger(DemandStream.class);

  private final Link link;
  private final Source<T> source;
  private final AtomicBoolean taken = new AtomicBoolean();
  private @Nullable MultiSubscriber<? super T> subscriber;
  private @Nullable Throwable failure;
  private long demand;
  private boolean ended;
  private boolean draining;

  DemandStream(Link link, Source<T> source) {
    this.link = link;
    this.source = source;
  }

  @Override
  public void subscribe(MultiSubscriber<? super T> downstream) {
    if (taken.compareAndSet(false, true)) {
      link.execute(() -> attach(downstream));
    } else {
      Subscriptions.fail(
          downstream, new IllegalStateException("this stream takes one subscriber, once"));
    }
  }

  private void attach(MultiSubscriber<? super T> downstream) {
    subscriber = downstream;
    downstream.onSubscribe(this);
    drain();
  }

  @Override
  public void request(long n) {
    link.execute(() -> more(n));
  }

  private void more(long n) {
    if (n <= 0) {
      finish(Subscriptions.getInvalidRequestException());
    } else {
      demand = Subscriptions.add(demand, n);
      drain();
    }
  }

  @Override
  public void cancel() {
    link.execute(this::leave);
  }

  private void leave() {
    if (subscriber != null) {
      subscriber = null;
      source.cancelled();
    }
  }

  boolean hasDemand() {
    return demand > 0;
  }

  /** Something new waits. */
  void offerMore() {
    drain();
  }

  /** Nothing will be added to what waits. */
  void end(@Nullable Throwable cause) {
    if (!ended) {
      ended = true;
      failure = cause;
      drain();
    }
  }

  /** Ends at once, dropping what waits. */
  void abort(Throwable cause) {
    if (subscriber != null) {
      finish(cause);
    } else if (!ended) {
      source.cancelled();
      end(cause);
    }
  }

  private void finish(Throwable cause) {
    MultiSubscriber<? super T> last = subscriber;
    if (last != null) {
      leave();
      last.onFailure(cause);
    }
  }

  private void drain() {
    if (subscriber == null || draining) {
      return;
    }
    draining = true;
    try {
      deliver();
    } finally {
      draining = false;
    }
    settle();
  }

  private void deliver() {
    while (subscriber != null && demand > 0) {
      T item = source.poll();
      if (item == null) {
        return;
      }
      demand--;
      hand(subscriber, item);
    }
  }

  private void hand(MultiSubscriber<? super T> target, T item) {
    try {
      target.onItem(item);
      source.delivered(item);
    } catch (RuntimeException e) {
      LOG.warn("a subscriber failed on an item; its stream ends", e);
      leave();
    }
  }

  private void settle() {
    if (subscriber != null && ended && source.isEmpty()) {
      terminate(subscriber);
    } else if (subscriber != null && !ended && demand > 0) {
      source.wanting();
    }
  }

  private void terminate(MultiSubscriber<? super T> last) {
    subscriber = null;
    if (failure == null) {
      last.onCompletion();
    } else {
      last.onFailure(failure);
    }
  }
}
