// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Something asked for that must be given back when it is not wanted any more.
 *
 * <p>What comes at the moment of the cancellation is neither the asker's, who has left, nor its maker's, who gave
 * it away; a future's subscriber drops it. Here it is given back.
 *
 * @param <T> what is asked for
 */
public final class Claim<T> implements UniSubscriber<T> {

  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private final AtomicReference<UniSubscription> asked = new AtomicReference<>();
  private final AtomicBoolean owned = new AtomicBoolean();
  private final Consumer<T> giveBack;

  /**
   * Asks for nothing yet: subscribe it.
   *
   * @param giveBack takes what came too late; must not block
   */
  public Claim(Consumer<T> giveBack) {
    this.giveBack = giveBack;
  }

  /**
   * Waits on a virtual thread; what it returns is the caller's.
   *
   * @param timeoutMillis at most this long, else DEADLINE_EXCEEDED; the claim stays until it is withdrawn
   * @throws CancellationException when it was withdrawn
   */
  public T await(long timeoutMillis) {
    T item = Blocking.await(answer, timeoutMillis);
    if (!owned.compareAndSet(false, true)) {
      throw new CancellationException("withdrawn");
    }
    return item;
  }

  /** Has what nobody took given back, now or when it comes, and cancels its making; whoever waits hears of that. */
  public void withdraw() {
    if (answer.cancel(false)) {
      cancel();
    } else if (!answer.isCompletedExceptionally() && owned.compareAndSet(false, true)) {
      giveBack.accept(answer.join());
    }
  }

  private void cancel() {
    UniSubscription subscription = asked.get();
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void onSubscribe(UniSubscription subscription) {
    asked.set(subscription);
    if (answer.isCancelled()) {
      cancel();
    }
  }

  @Override
  public void onItem(T item) {
    if (!answer.complete(item)) {
      giveBack.accept(item);
    }
  }

  @Override
  public void onFailure(Throwable failure) {
    answer.completeExceptionally(failure);
  }
}
