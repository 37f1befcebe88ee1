// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import io.smallrye.mutiny.subscription.UniEmitter;
import org.jspecify.annotations.Nullable;

/**
 * Gives something that must be taken back to whoever waits for it, or has it taken back when nobody does: a waiter who
 * leaves at the very moment of the handing over is told apart from one who got it.
 *
 * <p>Any thread; {@link #complete} and {@link #fail} by one thread at a time.
 */
public final class Handover<T> {

  private final UniEmitter<? super T> emitter;
  private volatile @Nullable Thread giving;

  /**
   * Watches the waiter.
   *
   * @param emitter leads to the waiter
   * @param abandoned run at most once, on any thread, when the waiter left without getting anything
   */
  public Handover(UniEmitter<? super T> emitter, Runnable abandoned) {
    this.emitter = emitter;
    emitter.onTermination(
        () -> {
          if (giving != Thread.currentThread()) {
            abandoned.run();
          }
        });
  }

  /** Gives it to the waiter, if there still is one. */
  public void complete(T item) {
    giving = Thread.currentThread();
    emitter.complete(item);
    giving = null;
  }

  /** Tells the waiter that there is nothing. */
  public void fail(Throwable cause) {
    giving = Thread.currentThread();
    emitter.fail(cause);
    giving = null;
  }
}
