// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives something that must be taken back to whoever waits for it, or has it taken back when nobody does.
 *
 * <p>A waiter who leaves on another thread while it is being given counts as gone. Whoever has got it keeps it, also when
 * what follows on it is cancelled later. Between the two is a moment in which a waiter drops what it has just got and
 * nobody hears of it: what is given needs a name by which it can be found again. Any thread.
 */
public final class Handover<T> implements UniSubscription {

  /** Where the giving stands. */
  private enum State {
    WAITING,
    GIVING,
    OVER,
    ABANDONED
  }

  private final UniSubscriber<? super T> waiter;
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private final AtomicReference<@Nullable Runnable> takeBack = new AtomicReference<>();

  private volatile @Nullable Thread giver;

  private Handover(UniSubscriber<? super T> waiter) {
    this.waiter = waiter;
  }

  /**
   * A result whose item is handed over.
   *
   * @param body started once per subscription, with the way to give
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
   * @param step run at most once, on any thread, when the waiter left without getting anything
   */
  public void onAbandoned(Runnable step) {
    takeBack.set(step);
    if (state.get() == State.ABANDONED) {
      takeBack();
    }
  }

  /** Gives it to the waiter, if there still is one. */
  public void complete(T item) {
    giver = Thread.currentThread();
    if (state.compareAndSet(State.WAITING, State.GIVING)) {
      waiter.onItem(item);
      state.compareAndSet(State.GIVING, State.OVER);
    }
    giver = null;
  }

  /** Tells the waiter that there is nothing. */
  public void fail(Throwable cause) {
    if (state.compareAndSet(State.WAITING, State.OVER)) {
      waiter.onFailure(cause);
    }
  }

  /** The waiter leaves. */
  @Override
  public void cancel() {
    if (giver != Thread.currentThread()
        && state.getAndUpdate(s -> s == State.OVER ? s : State.ABANDONED) != State.OVER) {
      takeBack();
    }
  }

  private void takeBack() {
    Runnable step = takeBack.getAndSet(null);
    if (step != null) {
      step.run();
    }
  }
}
