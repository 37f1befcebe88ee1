// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives something that must be taken back to whoever waits for it, or has it taken back when nobody does.
 *
 * <p>A waiter who leaves at the very moment of the giving drops what it got, and cancels only afterwards; from outside that
 * looks like one who got it, went on, and is cancelled later. So whoever gives is told of every cancellation, and leaves
 * alone what somebody has begun to use. Any thread.
 *
 * @param <T> what is given
 */
public final class Handover<T> implements UniSubscription {

  private final UniSubscriber<? super T> waiter;
  private final AtomicBoolean settled = new AtomicBoolean();
  private final AtomicReference<@Nullable Runnable> takeBack = new AtomicReference<>();

  private volatile boolean cancelled;

  private Handover(UniSubscriber<? super T> waiter) {
    this.waiter = waiter;
  }

  /**
   * A result whose item is handed over.
   *
   * @param <T> what is given
   * @param body started once per subscription, with the way to give
   * @return the result
   */
  public static <T> Uni<T> uni(Consumer<Handover<T>> body) {
    return new AbstractUni<T>() {
      @Override
      public void subscribe(UniSubscriber<? super T> subscriber) {
        Handover<T> handover = new Handover<>(subscriber);
        subscriber.onSubscribe(handover);
        body.accept(handover);
      }
    };
  }

  /**
   * Says how to take it back; to be called before {@link #complete}.
   *
   * @param step run at most once, on any thread, when the waiter cancelled: it takes back what nobody has used
   */
  public void onCancelled(Runnable step) {
    takeBack.set(step);
    if (cancelled) {
      takeBack();
    }
  }

  /**
   * Gives it to the waiter, if there still is one.
   *
   * @param item what is given
   * @return false when the waiter had left: the item stays the caller's
   */
  public boolean complete(T item) {
    boolean waits = settled.compareAndSet(false, true);
    if (waits) {
      waiter.onItem(item);
    }
    return waits;
  }

  /**
   * Tells the waiter that there is nothing; then there is nothing to take back either.
   *
   * @param cause why
   */
  public void fail(Throwable cause) {
    takeBack.set(null);
    if (settled.compareAndSet(false, true)) {
      waiter.onFailure(cause);
    }
  }

  /** The waiter leaves. */
  @Override
  public void cancel() {
    settled.set(true);
    cancelled = true;
    takeBack();
  }

  private void takeBack() {
    Runnable step = takeBack.getAndSet(null);
    if (step != null) {
      step.run();
    }
  }
}
