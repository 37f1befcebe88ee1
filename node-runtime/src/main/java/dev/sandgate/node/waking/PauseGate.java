// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.waking;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of a sandbox passes here. While the gate is shut, whoever comes wakes the sandbox and waits; who shuts it
 * waits until those inside are answered, so that none of them meets a sandbox that stands still. Safe for any thread.
 */
public final class PauseGate {

  private final Supplier<CompletableFuture<Void>> waking;
  private final AtomicInteger inside = new AtomicInteger();
  private volatile boolean shut;
  private volatile @Nullable Thread shutting;

  /**
   * Begins open.
   *
   * @param waking makes the sandbox go on and opens the gate; completes when that is done
   */
  public PauseGate(Supplier<CompletableFuture<Void>> waking) {
    this.waking = waking;
  }

  /** Lets nobody pass any more; false when somebody is inside for longer than this, and then it is open again. Blocks. */
  public boolean shut(long nanos) {
    shutting = Thread.currentThread();
    shut = true;
    long deadline = System.nanoTime() + nanos;
    while (inside.get() > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(this, deadline - System.nanoTime());
    }
    shutting = null;
    if (inside.get() > 0) {
      open();
      return false;
    }
    return true;
  }

  /** Lets everybody pass. */
  public void open() {
    shut = false;
  }

  /** Asks something of the sandbox when it is awake. */
  <T> Uni<T> pass(Supplier<Uni<T>> question) {
    return Uni.createFrom()
        .deferred(
            () ->
                enter()
                    ? question.get().onTermination().invoke(this::leave)
                    : awake().flatMap(_ -> pass(question)));
  }

  /** The same for what is answered piece by piece; inside until its end. */
  <T> Multi<T> passMany(Supplier<Multi<T>> question) {
    return Multi.createFrom()
        .deferred(
            () ->
                enter()
                    ? question.get().onTermination().invoke(this::leave)
                    : awake().onItem().transformToMulti(_ -> passMany(question)));
  }

  /** The same for what may wait for ever for its answer, so that nobody waits for that: input that a command does not take. */
  <T> Uni<T> begin(Supplier<Uni<T>> question) {
    return Uni.createFrom()
        .deferred(() -> shut ? awake().flatMap(_ -> question.get()) : question.get());
  }

  /** The same for what may go on for ever. */
  <T> Multi<T> beginMany(Supplier<Multi<T>> question) {
    return Multi.createFrom()
        .deferred(
            () -> shut ? awake().onItem().transformToMulti(_ -> question.get()) : question.get());
  }

  private Uni<Void> awake() {
    return Uni.createFrom().completionStage(() -> waking.get().copy());
  }

  private boolean enter() {
    inside.incrementAndGet();
    if (shut) {
      leave();
      return false;
    }
    return true;
  }

  private void leave() {
    if (inside.decrementAndGet() == 0 && shut) {
      LockSupport.unpark(shutting);
    }
  }
}
