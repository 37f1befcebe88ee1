// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandboxPool.Counts;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a pool makes, gives and removes; the real thing behind it is proved with containers. */
final class WarmPoolTest {

  private static final Duration LONG = Duration.ofSeconds(100);
  private static final long UNIT = 1L << 20;
  private static final String KIND = "kind";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Queue<Thing> made = new ConcurrentLinkedQueue<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private WarmPool<String, Thing> pool;
  private volatile long thingBytes = UNIT;

  /** A spare that is only counted. */
  private static final class Thing implements Spare {
    final int number;
    final String kind;
    final long bytes;
    volatile boolean dead;
    volatile boolean destroyed;

    Thing(int number, String kind, long bytes) {
      this.number = number;
      this.kind = kind;
      this.bytes = bytes;
    }

    @Override
    public boolean isUsable() {
      return !dead;
    }

    @Override
    public long memoryBytes() {
      return bytes;
    }

    @Override
    public void destroy() {
      assertFalse(destroyed, "destroyed twice");
      destroyed = true;
    }
  }

  private Thing thing(String kind) {
    Thing thing = new Thing(numbers.incrementAndGet(), kind, thingBytes);
    made.add(thing);
    return thing;
  }

  private void open(int min, int max, long units) {
    PoolBounds bounds = new PoolBounds(min, max, units * UNIT);
    pool = new WarmPool<>("test.pool", bounds, Set.of(KIND), this::thing, threads);
  }

  private void started(int min, int max, long units) {
    open(min, max, units);
    pool.start();
  }

  @AfterEach
  void close() {
    pool.close();
    threads.close();
  }

  private void awaitAvailable(int count) {
    Eventually.holds(count + " are there", () -> counts().available() == count);
  }

  private Counts counts() {
    return pool.counts();
  }

  @Test
  void shouldMakeNothingBeforeItsStart() {
    open(2, 4, 100);
    assertTrue(pool.take(KIND).isEmpty());
    pool.sweep();
    assertEquals(0, counts().made());
    assertEquals(0, counts().making());
    pool.start();
    awaitAvailable(2);
  }

  @Test
  void shouldKeepTheLeastAndGiveEachOnce() {
    started(3, 3, 100);
    awaitAvailable(3);
    Thing first = pool.take(KIND).orElseThrow();
    awaitAvailable(3);
    Thing second = pool.take(KIND).orElseThrow();
    assertTrue(first.number != second.number);
    assertEquals(2, counts().hits());
    awaitAvailable(3);
    assertEquals(5, counts().made());
    assertFalse(first.destroyed || second.destroyed);
  }

  @Test
  void shouldHaveNothingWhenItIsOff() {
    started(0, 0, 100);
    assertTrue(pool.isOff());
    assertTrue(pool.take(KIND).isEmpty());
    assertEquals(0, counts().misses() + counts().made());
    SandgateException refused =
        assertThrows(SandgateException.class, () -> pool.await(KIND, LONG, () -> false));
    assertEquals(ErrorCode.POOL_EXHAUSTED, refused.code());
  }

  @Test
  void shouldFollowTheRateOfRequestsUpAndDownWithinItsBounds() {
    started(2, 30, 100);
    awaitAvailable(2);
    for (int i = 0; i < 10; i++) {
      pool.take(KIND);
    }
    awaitAvailable(20);
    pool.sweep();
    assertEquals(20, counts().wanted());
    for (int i = 0; i < 100; i++) {
      pool.take(KIND);
    }
    awaitAvailable(30);
    int before = counts().available();
    for (int second = 0; second < 10; second++) {
      pool.sweep();
    }
    assertTrue(counts().wanted() <= before, counts()::toString);
    for (int second = 0; second < 100; second++) {
      pool.sweep();
    }
    assertEquals(2, counts().wanted());
    assertEquals(2, counts().available());
    assertEquals(made.stream().filter(thing -> thing.destroyed).count(), counts().surplus());
  }

  @Test
  void shouldKeepKindsApartAndForgetWhatNobodyWants() {
    started(1, 10, 100);
    assertTrue(pool.take("other").isEmpty());
    Eventually.holds("the other kind is there", () -> counts().available() >= 2);
    assertEquals("other", pool.take("other").orElseThrow().kind);
    assertEquals(KIND, pool.take(KIND).orElseThrow().kind);
    for (int second = 0; second < 700; second++) {
      pool.sweep();
    }
    Eventually.holds("only what is always kept is left", () -> counts().available() == 1);
    assertEquals(1, counts().wanted());
    assertEquals(KIND, pool.take(KIND).orElseThrow().kind);
  }

  @Test
  void shouldNeverHoldMoreMemoryThanItMay() {
    thingBytes = 3 * UNIT;
    started(10, 10, 10);
    awaitAvailable(3);
    assertEquals(0, counts().making());
    assertEquals(9 * UNIT, counts().memoryBytes());
    pool.take(KIND);
    awaitAvailable(3);
  }

  @Test
  void shouldThrowAwayWhatTurnsOutTooLarge() {
    thingBytes = 20 * UNIT;
    started(10, 10, 10);
    Eventually.holds("one is thrown away", () -> counts().surplus() == 1);
    pool.sweep();
    assertEquals(0, counts().available());
    assertEquals(0, counts().memoryBytes());
    thingBytes = UNIT;
    for (int second = 0; second < 100; second++) {
      pool.sweep();
    }
    awaitAvailable(10);
  }

  @Test
  void shouldDestroyWhatDiesOnItsShelfAndNeverGiveIt() {
    started(2, 2, 100);
    awaitAvailable(2);
    Thing dying = made.element();
    dying.dead = true;
    pool.died(KIND, dying);
    Eventually.holds("it is destroyed", () -> dying.destroyed);
    awaitAvailable(2);
    assertEquals(1, counts().dirty());
    Thing unnoticed = made.stream().filter(thing -> !thing.dead).reduce((a, b) -> b).orElseThrow();
    unnoticed.dead = true;
    assertFalse(pool.take(KIND).orElseThrow().dead);
    Eventually.holds("that one too", () -> unnoticed.destroyed);
    assertEquals(2, counts().dirty());
  }

  @Test
  void shouldLeaveAloneWhatWasGivenOut() {
    started(1, 1, 100);
    awaitAvailable(1);
    Thing mine = pool.take(KIND).orElseThrow();
    mine.dead = true;
    pool.died(KIND, mine);
    pool.spoiled();
    assertEquals(1, counts().dirty());
    pool.close();
    assertFalse(mine.destroyed);
  }

  @Test
  void shouldGiveWayToWorkInHandButNotForEver() {
    open(3, 3, 100);
    pool.begun();
    long begun = System.nanoTime();
    pool.start();
    awaitAvailable(3);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    assertTrue(millis >= 3 * 50, () -> "after " + millis + " ms");
    pool.ended();
  }

  @Test
  void shouldRestAfterAFailure() {
    AtomicInteger attempts = new AtomicInteger();
    PoolBounds bounds = new PoolBounds(1, 1, UNIT);
    pool =
        new WarmPool<>(
            "test.pool",
            bounds,
            Set.of(KIND),
            kind -> {
              if (attempts.incrementAndGet() < 3) {
                throw new IllegalStateException("as the test wants it");
              }
              return thing(kind);
            },
            threads);
    long begun = System.nanoTime();
    pool.start();
    awaitAvailable(1);
    assertEquals(2, counts().failures());
    assertTrue(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) >= 3000, "1 s and 2 s");
  }

  @Test
  void shouldServeThoseWhoWaitInOrderAndTellTheOthersThatItIsExhausted() {
    Semaphore may = new Semaphore(0);
    PoolBounds bounds = new PoolBounds(0, 5, 100 * UNIT);
    pool =
        new WarmPool<>(
            "test.pool",
            bounds,
            Set.of(KIND),
            kind -> {
              may.acquireUninterruptibly();
              return thing(kind);
            },
            threads);
    pool.start();
    SandgateException late =
        assertThrows(
            SandgateException.class, () -> pool.await(KIND, Duration.ofMillis(20), () -> false));
    assertEquals(ErrorCode.POOL_EXHAUSTED, late.code());
    assertEquals(1, counts().timeouts());
    CompletableFuture<Thing> first = waiting();
    Eventually.holds("the first waits", () -> counts().misses() == 2);
    CompletableFuture<Thing> second = waiting();
    Eventually.holds("the second waits", () -> counts().misses() == 3);
    may.release(2);
    assertTrue(first.join().number < second.join().number);
    may.release(100);
  }

  private CompletableFuture<Thing> waiting() {
    return CompletableFuture.supplyAsync(() -> pool.await(KIND, LONG, () -> false), threads);
  }

  @Test
  void shouldLetGoOfWhoLeavesTheLine() {
    AtomicBoolean left = new AtomicBoolean();
    PoolBounds bounds = new PoolBounds(0, 1, 0);
    pool = new WarmPool<>("test.pool", bounds, Set.of(KIND), this::thing, threads);
    pool.start();
    CompletableFuture<Thing> waiting =
        CompletableFuture.supplyAsync(() -> pool.await(KIND, LONG, left::get), threads);
    Eventually.holds("it waits", () -> counts().misses() == 1);
    left.set(true);
    pool.wake();
    CompletionException failed = assertThrows(CompletionException.class, waiting::join);
    assertEquals(ErrorCode.CANCELLED, ((SandgateException) failed.getCause()).code());
    assertEquals(0, counts().timeouts());
  }

  @Test
  void shouldDestroyAllWhenItIsClosedAlsoWhatIsBeingMade() {
    Semaphore may = new Semaphore(2);
    PoolBounds bounds = new PoolBounds(3, 3, 100 * UNIT);
    pool =
        new WarmPool<>(
            "test.pool",
            bounds,
            Set.of(KIND),
            kind -> {
              may.acquireUninterruptibly();
              return thing(kind);
            },
            threads);
    pool.start();
    Eventually.holds("one is being made", () -> may.hasQueuedThreads());
    CompletableFuture<Void> closing = CompletableFuture.runAsync(pool::close, threads);
    Eventually.holds("the others are gone", () -> made.stream().allMatch(t -> t.destroyed));
    assertFalse(closing.isDone());
    may.release();
    closing.join();
    assertEquals(3, made.size());
    assertTrue(made.stream().allMatch(thing -> thing.destroyed));
    assertTrue(pool.take(KIND).isEmpty());
    SandgateException refused =
        assertThrows(SandgateException.class, () -> pool.await(KIND, LONG, () -> false));
    assertEquals(ErrorCode.POOL_EXHAUSTED, refused.code());
    assertEquals(List.of(), made.stream().filter(thing -> !thing.destroyed).toList());
  }

  @Test
  void shouldTellHowLongActivationTook() {
    started(0, 1, 1);
    for (int i = 1; i <= 100; i++) {
      pool.activated(TimeUnit.MILLISECONDS.toNanos(i));
    }
    assertEquals(50_000, (double) counts().activationP50Micros(), 1_000);
    assertEquals(99_000, (double) counts().activationP99Micros(), 2_000);
  }
}
