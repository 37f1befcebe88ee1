// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Functions.PoolCounts;
import dev.sandgate.spi.SandgateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workers made before they are needed.
 *
 * <p>There is a shelf for each key, with the workers that wait, and one bound on how many live at all: those that serve,
 * those that wait and those being made. Who finds no worker makes one if that bound allows it, else takes the place of one
 * that waits on another shelf, the one unused longest, else stands in a queue for a limited time. A worker comes back after
 * its call only when it is clean; otherwise it is destroyed, never to be used again, and another one is made in its stead
 * while the shelf has fewer than calls were seen at a time. That mark falls by one a second, and a shelf that nobody asked
 * for is cleared: so the pool follows the rate of calls, up and down, within its bound.
 *
 * <p>Any thread; {@link #acquire}, {@link #release} and {@link #close} block. Guarded by one lock that is never held while
 * a worker is made or destroyed.
 */
final class WorkerPool<W extends Pooled> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);
  private static final long CLOSING_SECONDS = 20;

  private final Bounds bounds;
  private final Function<WorkerKey, W> make;
  private final Executor threads;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition gone = lock.newCondition();
  private final Map<WorkerKey, Shelf<W>> shelves = new LinkedHashMap<>(16, 0.75f, true);
  private final Queue<W> queue = new Queue<>(lock::newCondition);
  private final Set<W> serving = new HashSet<>();
  private final Tally tally = new Tally();
  private int living;
  private boolean closed;

  /**
   * How large the pool may be.
   *
   * @param most workers alive at a time
   * @param idle workers that wait on one shelf
   * @param waiting calls in the queue
   * @param keep how long a shelf is kept that nobody asks for
   */
  record Bounds(int most, int idle, int waiting, Duration keep) {}

  WorkerPool(Bounds bounds, Function<WorkerKey, W> make, Executor threads, LongSupplier nanoTime) {
    this.bounds = bounds;
    this.make = make;
    this.threads = threads;
    this.nanoTime = nanoTime;
  }

  /** A worker of a key, that is the caller's until {@link #release}; POOL_EXHAUSTED when none comes free in time. */
  Lease<W> acquire(WorkerKey key, Duration within) {
    long begun = nanoTime.getAsLong();
    Optional<W> there;
    List<W> victims = new ArrayList<>();
    lock.lock();
    try {
      there = claim(key, within, victims);
    } finally {
      lock.unlock();
    }
    victims.forEach(Pooled::destroy);
    W worker = there.isPresent() ? there.get() : made(key);
    Duration waited = Duration.ofNanos(nanoTime.getAsLong() - begun);
    return new Lease<>(key, worker, there.isPresent(), waited);
  }

  /** A worker that waits, or nothing and the right to make one. */
  private Optional<W> claim(WorkerKey key, Duration within, List<W> victims) {
    requireOpen();
    Shelf<W> shelf = shelves.computeIfAbsent(key, _ -> new Shelf<>());
    shelf.begin(nanoTime.getAsLong());
    try {
      Optional<W> there = living(shelf, victims);
      if (there.isEmpty() && !mayMake(shelf, victims)) {
        there = queued(key, within);
      }
      tally.called(there.isPresent());
      there.ifPresent(serving::add);
      return there;
    } catch (RuntimeException e) {
      shelf.end();
      throw e;
    }
  }

  private Optional<W> living(Shelf<W> shelf, List<W> dead) {
    return shelf.take(
        worker -> {
          living--;
          dead.add(worker);
        });
  }

  private boolean mayMake(Shelf<W> wanting, List<W> victims) {
    if (living < bounds.most()) {
      living++;
      return true;
    }
    for (Shelf<W> other : shelves.values()) {
      Optional<W> oldest = other == wanting ? Optional.empty() : other.takeOldest();
      if (oldest.isPresent()) {
        victims.add(oldest.get());
        return true;
      }
    }
    return false;
  }

  private Optional<W> queued(WorkerKey key, Duration within) {
    if (queue.length() >= bounds.waiting()) {
      throw exhausted(queue.length() + " calls wait already");
    }
    try {
      Queue.Waiter<W> waiter = queue.await(key, within, () -> closed);
      if (!waiter.settled()) {
        requireOpen();
        throw exhausted("none came free within " + within.toMillis() + " ms");
      }
      return waiter.worker();
    } catch (InterruptedException e) {
      throw new IllegalStateException("threads of calls are never interrupted", e);
    }
  }

  private SandgateException exhausted(String why) {
    tally.exhausted();
    return new SandgateException(
        ErrorCode.POOL_EXHAUSTED,
        "all %d workers are busy and %s; retry later, or raise backend.fncall.workers"
            .formatted(bounds.most(), why));
  }

  private void requireOpen() {
    if (closed) {
      throw isClosed();
    }
  }

  private static SandgateException isClosed() {
    return new SandgateException(ErrorCode.BACKEND_UNAVAILABLE, "the pool of workers is closed");
  }

  private W made(WorkerKey key) {
    try {
      return served(make.apply(key));
    } catch (RuntimeException e) {
      lock.lock();
      try {
        ended(key);
        freed();
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  /** A pool that was closed meanwhile does not know this one. */
  private W served(W worker) {
    lock.lock();
    try {
      tally.made();
      if (!closed) {
        serving.add(worker);
        return worker;
      }
    } finally {
      lock.unlock();
    }
    worker.destroy();
    throw isClosed();
  }

  private void ended(WorkerKey key) {
    Shelf<W> shelf = shelves.get(key);
    if (shelf != null) {
      shelf.end();
    }
  }

  /** A worker is gone: its place is for who waits. */
  private void freed() {
    living--;
    gone.signalAll();
    while (living < bounds.most() && queue.length() > 0) {
      living++;
      queue.grantPlace();
    }
  }

  /** Gives a worker back, which is looked at first if it may be used again; blocks until it waits or is gone. */
  void release(Lease<W> lease, boolean usable) {
    W worker = lease.worker();
    boolean clean = usable && worker.isClean();
    lock.lock();
    try {
      serving.remove(worker);
      if (clean && reused(lease)) {
        return;
      }
      ended(lease.key());
      if (!clean) {
        tally.dirty();
      }
    } finally {
      lock.unlock();
    }
    worker.destroy();
    lock.lock();
    try {
      freed();
      if (!clean) {
        refill(lease.key());
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean reused(Lease<W> lease) {
    Shelf<W> shelf = shelves.get(lease.key());
    if (shelf == null || !offered(lease.key(), shelf, lease.worker())) {
      return false;
    }
    shelf.end();
    tally.reused();
    return true;
  }

  /** To who waits for its like, else to the shelf while that has room and nobody waits for a place. */
  private boolean offered(WorkerKey key, Shelf<W> shelf, W worker) {
    if (closed) {
      return false;
    }
    if (queue.grant(key, worker)) {
      return true;
    }
    boolean room = queue.length() == 0 && shelf.idle() < shelf.target(bounds.idle());
    if (room) {
      shelf.put(worker);
    }
    return room;
  }

  private void refill(WorkerKey key) {
    Shelf<W> shelf = shelves.get(key);
    if (shelf == null || closed || queue.length() > 0) {
      return;
    }
    if (shelf.missing(bounds.idle()) > 0 && living < bounds.most()) {
      living++;
      shelf.fill();
      threads.execute(() -> fill(key, shelf));
    }
  }

  private void fill(WorkerKey key, Shelf<W> shelf) {
    W worker = null;
    try {
      worker = make.apply(key);
    } catch (RuntimeException e) {
      LOG.warn("no worker could be made ahead", e);
    }
    lock.lock();
    try {
      shelf.filled();
      if (worker != null) {
        tally.made();
      }
      if (worker != null && shelves.get(key) == shelf && offered(key, shelf, worker)) {
        return;
      }
    } finally {
      lock.unlock();
    }
    retire(worker);
  }

  /** Destroys a worker that nobody has in hand, or that could not be made. */
  private void retire(@Nullable W worker) {
    if (worker != null) {
      worker.destroy();
    }
    lock.lock();
    try {
      freed();
    } finally {
      lock.unlock();
    }
  }

  /** Once a second: lets the marks fall and takes away what waits in vain; blocks. */
  void sweep() {
    List<W> surplus = new ArrayList<>();
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      for (Iterator<Shelf<W>> all = shelves.values().iterator(); all.hasNext(); ) {
        Shelf<W> shelf = all.next();
        boolean unused = shelf.isUnused(now, bounds.keep().toNanos());
        shelf.fade(unused);
        while (shelf.idle() > shelf.target(bounds.idle())) {
          shelf.takeOldest().ifPresent(surplus::add);
        }
        if (unused && shelf.isEmpty()) {
          all.remove();
        }
      }
    } finally {
      lock.unlock();
    }
    surplus.forEach(this::retire);
  }

  /** How many calls are in the queue. */
  int waiting() {
    lock.lock();
    try {
      return queue.length();
    } finally {
      lock.unlock();
    }
  }

  /** What it did and has. */
  PoolCounts counts() {
    lock.lock();
    try {
      int idle = shelves.values().stream().mapToInt(Shelf::idle).sum();
      return tally.counts(serving.size(), idle);
    } finally {
      lock.unlock();
    }
  }

  /** Destroys every worker, also under its call, and returns when none is left. */
  @Override
  public void close() {
    List<W> idle = new ArrayList<>();
    List<W> busy;
    lock.lock();
    try {
      closed = true;
      for (Shelf<W> shelf : shelves.values()) {
        while (shelf.idle() > 0) {
          shelf.takeOldest().ifPresent(idle::add);
        }
      }
      busy = List.copyOf(serving);
      queue.wakeAll();
    } finally {
      lock.unlock();
    }
    idle.forEach(this::retire);
    busy.forEach(Pooled::destroy);
    awaitGone();
  }

  private void awaitGone() {
    lock.lock();
    try {
      long left = TimeUnit.SECONDS.toNanos(CLOSING_SECONDS);
      while (living > 0 && left > 0) {
        left = gone.awaitNanos(left);
      }
      if (living > 0) {
        LOG.error("{} workers are still in use", living);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
