// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Handover;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxPool;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.pool.WarmPool;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The blanks made ahead, of each kind; nothing is made before {@link #start}. */
final class Ahead implements SandboxPool, AutoCloseable {

  /** What sandboxes are that ask for no class. */
  private static final BlankKind USUAL = new BlankKind(QosClass.BEST_EFFORT);

  private final Host host;
  private final WarmPool<BlankKind, ReadyBlank> pool;
  private volatile boolean started;
  private volatile boolean closed;

  Ahead(Host host) {
    this.host = host;
    this.pool =
        new WarmPool<>(
            "backend.container.pool", host.settings().pool(), Set.of(USUAL), this::make, host::run);
  }

  /** Where a sandbox's blank comes from. */
  @FunctionalInterface
  interface Source {
    /** One made ahead; nothing when it is to be made now. May block. */
    Optional<ReadyBlank> take(BlankKind kind);

    /** Nobody wants the sandbox any more. */
    default void leave() {}
  }

  /** Whoever waits for a blank. */
  private final class Patient implements Source {
    private final Duration within;
    private volatile boolean left;

    Patient(Duration within) {
      this.within = within;
    }

    @Override
    public Optional<ReadyBlank> take(BlankKind kind) {
      return Optional.of(pool.await(kind, within, () -> left));
    }

    @Override
    public void leave() {
      left = true;
      pool.wake();
    }
  }

  /** Makes some from now on; to be called when leftovers of before are removed. Idempotent. */
  synchronized void start() {
    if (!started && !closed && !pool.isOff()) {
      started = true;
      pool.start();
      sweepLater();
    }
  }

  private void sweepLater() {
    Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, host::run);
    later.execute(
        () -> {
          if (!closed) {
            pool.sweep();
            sweepLater();
          }
        });
  }

  private ReadyBlank make(BlankKind kind) {
    ReadyBlank ready = ReadyBlank.make(host, kind);
    var _ = ready.agent().lost().thenAccept(_ -> pool.died(kind, ready));
    return ready;
  }

  /** From the pool if there is one, else made now. */
  Optional<ReadyBlank> take(BlankKind kind) {
    return pool.take(kind);
  }

  @Override
  public Uni<Sandbox> create(SandboxSpec spec, Duration within) {
    return Handover.uni(
        waiter -> host.run(new Creation(host, spec, waiter, new Patient(within))::run));
  }

  /** A create has begun, to which filling gives way until {@link #ended}. */
  void begun() {
    pool.begun();
  }

  void ended() {
    pool.ended();
  }

  /** A blank that was taken became a sandbox within this time. */
  void activated(long nanos) {
    pool.activated(nanos);
  }

  /** A blank that was taken became none. */
  void spoiled() {
    pool.spoiled();
  }

  @Override
  public Counts counts() {
    return pool.counts();
  }

  /** Destroys all that wait; blocks. */
  @Override
  public void close() {
    closed = true;
    pool.close();
  }
}
