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
 * <p>A waiter who leaves at the very moment of the giving drops what was given and cancels all the same; it counts as
 * gone, too. Any thread.
 */
public final class Handover<T> implements UniSubscription {

  /** Where the giving stands. */
  private enum State {
    WAITING,
    GIVEN,
    FAILED,
    ABANDONED
  }

  private final UniSubscriber<? super T> waiter;
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private final AtomicReference<@Nullable Runnable> takeBack = new AtomicReference<>();

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
    if (state.compareAndSet(State.WAITING, State.GIVEN)) {
      waiter.onItem(item);
    }
  }

  /** Tells the waiter that there is nothing. */
  public void fail(Throwable cause) {
    if (state.compareAndSet(State.WAITING, State.FAILED)) {
      waiter.onFailure(cause);
    }
  }

  /** The waiter leaves. */
  @Override
  public void cancel() {
    if (state.getAndUpdate(s -> s == State.FAILED ? s : State.ABANDONED) != State.FAILED) {
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
