// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandboxPool.Counts;
import dev.sandgate.spi.SandgateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spares of some kinds, made ahead as they were lately asked for.
 *
 * <p>There is a shelf for each kind. How many it is to hold follows the requests ({@link Demand}), within the bounds; all
 * shelves together, with what is being made, stay within the bounds' number and memory. One thread fills: the shelf that
 * lacks most is next; it gives way to whoever has work in hand, for a short while, and rests after a failure, longer each time.
 * What is too many goes little by little. A spare is given out once and never comes back; one that dies on its shelf is
 * destroyed.
 *
 * <p>Any thread; {@link #await}, {@link #sweep} and {@link #close} block. Guarded by one lock that is never held while a
 * spare is made or destroyed.
 *
 * @param <K> a kind, with equals and hashCode
 * @param <S> what is made
 */
public final class WarmPool<K, S extends Spare> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WarmPool.class);
  private static final long CLOSING_SECONDS = 20;
  private static final int PERCENT = 100;

  private final String name;
  private final PoolBounds bounds;
  private final Function<K, S> make;
  private final Executor threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Shelves<K, S> shelves;
  private final Line<K, S> line = new Line<>(lock::newCondition);
  private final Tally tally = new Tally();
  private final Pace pace = new Pace(changed);
  private final HitRate hitRate = new HitRate();
  private final Times activations = new Times();
  private boolean started;
  private boolean filling;
  private boolean closed;

  /**
   * Makes nothing before {@link #start}.
   *
   * @param name for the log
   * @param bounds how much it may hold
   * @param always the kinds of which some are kept from the start
   * @param make makes one; blocks
   * @param threads run what blocks
   */
  public WarmPool(
      String name, PoolBounds bounds, Set<K> always, Function<K, S> make, Executor threads) {
    this.name = name;
    this.bounds = bounds;
    this.shelves = new Shelves<>(bounds, always);
    this.make = make;
    this.threads = threads;
  }

  /** Begins to fill; idempotent. */
  public void start() {
    lock.lock();
    try {
      if (!started && !isOff()) {
        started = true;
        shelves.start();
        fillIfNeeded();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether it never holds anything. */
  public boolean isOff() {
    return bounds.max() == 0;
  }

  /** Somebody has work in hand that filling gives way to, until it calls {@link #ended}. */
  public void begun() {
    lock.lock();
    try {
      pace.begun();
    } finally {
      lock.unlock();
    }
  }

  /** That work is done. */
  public void ended() {
    lock.lock();
    try {
      pace.ended();
    } finally {
      lock.unlock();
    }
  }

  /** One of a kind, if there is one: the caller's from then on. */
  public Optional<S> take(K key) {
    if (isOff()) {
      return Optional.empty();
    }
    List<S> unusable = new ArrayList<>();
    lock.lock();
    try {
      return taken(key, unusable);
    } finally {
      lock.unlock();
      unusable.forEach(this::destroyLater);
    }
  }

  private Optional<S> taken(K key, List<S> unusable) {
    Shelf<S> shelf = shelves.of(key);
    shelf.demand().asked();
    Optional<S> there = closed ? Optional.empty() : shelf.take(unusable);
    tally.dirty(unusable.size());
    if (there.isPresent()) {
      tally.hit();
      hitRate.hit();
    } else {
      tally.miss();
      hitRate.miss();
    }
    fillIfNeeded();
    return there;
  }

  /**
   * The same, waiting for one; POOL_EXHAUSTED when none came in time.
   *
   * @param key its kind
   * @param within how long to wait
   * @param left whether nobody wants it any more; looked at after {@link #wake}
   */
  public S await(K key, Duration within, BooleanSupplier left) {
    List<S> unusable = new ArrayList<>();
    lock.lock();
    try {
      Optional<S> there = isOff() ? Optional.empty() : taken(key, unusable);
      return there.isPresent() ? there.get() : waited(key, within, left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "interrupted", e);
    } finally {
      lock.unlock();
      unusable.forEach(this::destroyLater);
    }
  }

  private S waited(K key, Duration within, BooleanSupplier left) throws InterruptedException {
    Optional<S> given =
        isOff() ? Optional.empty() : line.await(key, within.toNanos(), left, this::fillIfNeeded);
    if (given.isEmpty() && left.getAsBoolean()) {
      throw new SandgateException(ErrorCode.CANCELLED, "nobody waits for it any more");
    }
    if (given.isEmpty()) {
      tally.timeout();
      throw exhausted(within);
    }
    return given.get();
  }

  /** Has those who wait look whether somebody still wants what they wait for. */
  public void wake() {
    lock.lock();
    try {
      line.wake();
    } finally {
      lock.unlock();
    }
  }

  private SandgateException exhausted(Duration within) {
    return new SandgateException(
        ErrorCode.POOL_EXHAUSTED,
        isOff()
            ? "there is no pool; raise %s.max, or ask for what is made anew".formatted(name)
            : "none came within %d ms; retry later, raise %s.max, or ask for what is made anew"
                .formatted(within.toMillis(), name));
  }

  /** One that is on its shelf has died: it is destroyed. Nothing happens to one that was given out. */
  public void died(K key, S spare) {
    lock.lock();
    try {
      if (!shelves.of(key).remove(spare)) {
        return;
      }
      tally.dirty(1);
      fillIfNeeded();
    } finally {
      lock.unlock();
    }
    destroyLater(spare);
  }

  /** One that was given out was of no use; its owner destroys it. */
  public void spoiled() {
    lock.lock();
    try {
      tally.dirty(1);
    } finally {
      lock.unlock();
    }
  }

  /** One that was given out became what it was wanted for. */
  public void activated(long nanos) {
    activations.took(nanos);
  }

  private void destroyLater(S spare) {
    threads.execute(spare::destroy);
  }

  private void fillIfNeeded() {
    changed.signalAll();
    if (started && !closed && !filling && next().isPresent()) {
      filling = true;
      threads.execute(this::fill);
    }
  }

  private Optional<K> next() {
    return shelves.next(line::of);
  }

  private void fill() {
    for (Optional<K> key = begin(); key.isPresent(); key = begin()) {
      fill(key.get());
    }
  }

  /** The kind to make one of; nothing, and then this thread is done. */
  private Optional<K> begin() {
    lock.lock();
    try {
      pace.await(() -> closed, () -> !line.isEmpty());
      Optional<K> key = closed ? Optional.empty() : next();
      if (key.isPresent()) {
        shelves.of(key.get()).begin();
      } else {
        filling = false;
        changed.signalAll();
      }
      return key;
    } finally {
      lock.unlock();
    }
  }

  private void fill(K key) {
    List<S> excess = new ArrayList<>();
    S spare = null;
    try {
      spare = make.apply(key);
    } catch (RuntimeException e) {
      LOG.warn("{}: none could be made ahead", name, e);
    }
    lock.lock();
    try {
      shelves.of(key).end();
      if (spare == null) {
        tally.failure();
        pace.failed();
      } else {
        pace.made();
        put(key, spare, excess);
      }
    } finally {
      lock.unlock();
    }
    excess.forEach(Spare::destroy);
  }

  private void put(K key, S spare, List<S> excess) {
    tally.made();
    boolean fits = shelves.fits(spare);
    if (!spare.isUsable()) {
      tally.dirty(1);
      excess.add(spare);
    } else if (closed || !fits) {
      tally.surplus(1);
      excess.add(spare);
    } else if (!line.give(key, spare)) {
      shelves.of(key).put(spare);
    }
  }

  /** To be called once a second: lets demand fade, takes away what is too many, complains when too many find none. */
  public void sweep() {
    List<S> surplus;
    Optional<Double> low;
    lock.lock();
    try {
      low = hitRate.second();
      surplus = shelves.second();
      tally.surplus(surplus.size());
      fillIfNeeded();
    } finally {
      lock.unlock();
    }
    low.ifPresent(this::complain);
    surplus.forEach(Spare::destroy);
  }

  private void complain(double rate) {
    LOG.warn(
        "{}: only {} % of the last minute's creates found one made ahead; raise {}.max (now {}) or {}.memory-bytes (now {})",
        name, Math.round(rate * PERCENT), name, bounds.max(), name, bounds.memoryBytes());
  }

  /** What it did and has. */
  public Counts counts() {
    long[] activation = activations.atPercentiles(50, 99);
    lock.lock();
    try {
      Tally.Filling now =
          new Tally.Filling(
              shelves.available(), shelves.making(), shelves.wanted(), shelves.memoryBytes());
      return tally.counts(now, activation);
    } finally {
      lock.unlock();
    }
  }

  /** Destroys what waits, and returns when nothing is being made any more. */
  @Override
  public void close() {
    List<S> waiting;
    lock.lock();
    try {
      closed = true;
      waiting = shelves.clear();
      line.close();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    destroyAll(waiting);
  }

  private void destroyAll(List<S> waiting) {
    CompletableFuture<?>[] all =
        waiting.stream()
            .map(spare -> CompletableFuture.runAsync(spare::destroy, threads))
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(all).get(CLOSING_SECONDS, TimeUnit.SECONDS);
      if (!awaitFilled()) {
        LOG.error("{}: one is still being made", name);
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.error("{}: what was made ahead is not gone yet", name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean awaitFilled() throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.SECONDS.toNanos(CLOSING_SECONDS);
      while (filling && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !filling;
    } finally {
      lock.unlock();
    }
  }
}
