// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.fncall.WorkerPool.Bounds;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Functions.PoolCounts;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bounds, marks and queue of the pool, on workers that are nothing. */
final class WorkerPoolTest {

  private static final Duration NOW = Duration.ZERO;
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final WorkerKey ONE = key("one");
  private static final WorkerKey OTHER = key("other");

  private final ConcurrentLinkedQueue<Nothing> made = new ConcurrentLinkedQueue<>();
  private final AtomicLong clock = new AtomicLong();
  private final AtomicInteger failures = new AtomicInteger();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private WorkerPool<Nothing> pool = pool(2, 2, 1_000);

  private static final class Nothing implements Pooled {
    private volatile boolean clean = true;
    private volatile boolean gone;
    private volatile Runnable meanwhile = () -> {};

    @Override
    public boolean isAlive() {
      return !gone;
    }

    @Override
    public boolean isClean() {
      return clean && !gone;
    }

    @Override
    public void destroy() {
      gone = true;
      meanwhile.run();
    }
  }

  private static WorkerKey key(String user) {
    return new WorkerKey(List.of(), user, 0, false, List.of());
  }

  private WorkerPool<Nothing> pool(int most, int idle, int waiting) {
    return new WorkerPool<>(
        new Bounds(most, idle, waiting, Duration.ofSeconds(60)), _ -> make(), threads, clock::get);
  }

  private Nothing make() {
    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new SandgateException(ErrorCode.INTERNAL, "not this time");
    }
    Nothing worker = new Nothing();
    made.add(worker);
    return worker;
  }

  private long living() {
    return made.stream().filter(Nothing::isAlive).count();
  }

  @AfterEach
  void close() {
    pool.close();
    assertEquals(0, living(), "a closed pool left workers");
    threads.close();
  }

  @Test
  void shouldGiveTheSameWorkerAgainWhenItIsClean() {
    Lease<Nothing> first = pool.acquire(ONE, NOW);
    pool.release(first, true);
    Lease<Nothing> second = pool.acquire(ONE, NOW);
    assertSame(first.worker(), second.worker());
    assertFalse(first.warm());
    assertTrue(second.warm());
    pool.release(second, true);
    assertEquals(new PoolCounts(2, 1, 1, 2, 0, 0, 0, 1), pool.counts());
  }

  @Test
  void shouldNeverGiveADirtyOneAgain() {
    Lease<Nothing> first = pool.acquire(ONE, NOW);
    first.worker().clean = false;
    pool.release(first, true);
    assertFalse(first.worker().isAlive());
    Lease<Nothing> unusable = pool.acquire(ONE, LONG);
    assertNotSame(first.worker(), unusable.worker());
    pool.release(unusable, false);
    assertFalse(unusable.worker().isAlive());
    assertEquals(2, pool.counts().dirty());
  }

  @Test
  void shouldMakeAnotherInADirtyOnesStead() {
    Lease<Nothing> first = pool.acquire(ONE, NOW);
    pool.release(first, false);
    Eventually.holds("another waits", () -> pool.counts().idle() == 1);
    assertTrue(acquireAndRelease(ONE).warm());
  }

  @Test
  void shouldMakeNoneInTheSteadOfOneTooMany() {
    pool.close();
    pool = pool(4, 2, 1_000);
    List.of(pool.acquire(ONE, NOW), pool.acquire(ONE, NOW))
        .forEach(lease -> pool.release(lease, true));
    Lease<Nothing> tooMany = pool.acquire(ONE, NOW);
    pool.sweep();
    CompletableFuture<Lease<Nothing>> next = new CompletableFuture<>();
    tooMany.worker().meanwhile = () -> next.complete(pool.acquire(ONE, NOW));
    pool.release(tooMany, true);
    assertFalse(tooMany.worker().isAlive());
    assertTrue(next.join().warm());
    pool.release(next.join(), true);
    assertEquals(2, Eventually.settles("the pool", Duration.ofMillis(200), made::size));
    assertEquals(1, pool.counts().idle());
  }

  private Lease<Nothing> acquireAndRelease(WorkerKey key) {
    Lease<Nothing> lease = pool.acquire(key, LONG);
    pool.release(lease, true);
    return lease;
  }

  @Test
  void shouldFailWithPoolExhaustedWhenNoneComesFree() {
    List<Lease<Nothing>> all = List.of(pool.acquire(ONE, NOW), pool.acquire(OTHER, NOW));
    SandgateException late =
        assertThrows(SandgateException.class, () -> pool.acquire(ONE, Duration.ofMillis(50)));
    assertEquals(ErrorCode.POOL_EXHAUSTED, late.code());
    assertEquals(1, pool.counts().exhausted());
    assertEquals(2, made.size());
    all.forEach(lease -> pool.release(lease, true));
    assertTrue(acquireAndRelease(ONE).warm());
    assertEquals(0, pool.counts().busy());
  }

  @Test
  void shouldRefuseAtOnceWhenTheQueueIsFull() {
    pool.close();
    pool = pool(1, 1, 0);
    Lease<Nothing> only = pool.acquire(ONE, NOW);
    SandgateException full =
        assertThrows(SandgateException.class, () -> pool.acquire(ONE, Duration.ofHours(1)));
    assertEquals(ErrorCode.POOL_EXHAUSTED, full.code());
    pool.release(only, true);
  }

  @Test
  void shouldServeWhoWaitsWithWhatComesFree() {
    Lease<Nothing> clean = pool.acquire(ONE, NOW);
    Lease<Nothing> dirty = pool.acquire(OTHER, NOW);
    CompletableFuture<Lease<Nothing>> same = waiting(ONE);
    pool.release(clean, true);
    assertSame(clean.worker(), same.join().worker());
    CompletableFuture<Lease<Nothing>> another = waiting(ONE);
    pool.release(dirty, false);
    assertFalse(another.join().warm());
    assertEquals(2, living());
    pool.release(same.join(), true);
    pool.release(another.join(), true);
  }

  private CompletableFuture<Lease<Nothing>> waiting(WorkerKey key) {
    long before = pool.counts().calls();
    CompletableFuture<Lease<Nothing>> waiter =
        CompletableFuture.supplyAsync(() -> pool.acquire(key, LONG), threads)
            .orTimeout(20, TimeUnit.SECONDS);
    Eventually.holds("it waits", () -> pool.waiting() == 1 && pool.counts().calls() == before);
    return waiter;
  }

  @Test
  void shouldTakeThePlaceOfOneThatWaitsForOthers() {
    Lease<Nothing> first = acquireAndRelease(ONE);
    List<Lease<Nothing>> both = List.of(pool.acquire(OTHER, NOW), pool.acquire(OTHER, NOW));
    assertFalse(first.worker().isAlive());
    assertEquals(2, living());
    both.forEach(lease -> pool.release(lease, true));
  }

  @Test
  void shouldGiveAPlaceBackWhenNoneCouldBeMade() {
    failures.set(3);
    for (int i = 0; i < 3; i++) {
      assertThrows(SandgateException.class, () -> pool.acquire(ONE, NOW));
    }
    List<Lease<Nothing>> both = List.of(pool.acquire(ONE, NOW), pool.acquire(ONE, NOW));
    both.forEach(lease -> pool.release(lease, true));
    assertEquals(0, pool.counts().busy());
  }

  @Test
  void shouldFollowTheRateOfCallsUpAndDown() {
    List<Lease<Nothing>> both = List.of(pool.acquire(ONE, NOW), pool.acquire(ONE, NOW));
    both.forEach(lease -> pool.release(lease, true));
    assertEquals(2, pool.counts().idle());
    pool.sweep();
    assertEquals(1, pool.counts().idle());
    pool.sweep();
    assertEquals(1, pool.counts().idle());
    clock.addAndGet(TimeUnit.SECONDS.toNanos(61));
    pool.sweep();
    assertEquals(0, pool.counts().idle());
    assertEquals(0, living());
  }

  @Test
  void shouldLeaveNothingThatIsMadeWhileItIsClosed() {
    CountDownLatch making = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    pool.close();
    pool =
        new WorkerPool<>(
            new Bounds(1, 1, 1, LONG),
            _ -> {
              making.countDown();
              awaited(closing);
              return make();
            },
            threads,
            clock::get);
    CompletableFuture<Lease<Nothing>> late =
        CompletableFuture.supplyAsync(() -> pool.acquire(ONE, LONG), threads);
    awaited(making);
    CompletableFuture<Void> closed = CompletableFuture.runAsync(pool::close, threads);
    Eventually.holds("it is closed", () -> refusesAtOnce());
    closing.countDown();
    assertThrows(CompletionException.class, late::join);
    closed.join();
    assertEquals(1, made.size());
  }

  private boolean refusesAtOnce() {
    try {
      pool.acquire(ONE, NOW);
      return false;
    } catch (SandgateException e) {
      return e.code() == ErrorCode.BACKEND_UNAVAILABLE;
    }
  }

  private static void awaited(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldBalanceWhateverHappens() {
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    failures.set(20);
    for (int i = 0; i < 400; i++) {
      WorkerKey key = i % 3 == 0 ? OTHER : ONE;
      boolean usable = i % 5 != 0;
      calls.add(
          CompletableFuture.runAsync(() -> pool.release(pool.acquire(key, LONG), usable), threads)
              .exceptionally(_ -> null));
    }
    calls.forEach(CompletableFuture::join);
    Eventually.holds("none is busy", () -> pool.counts().busy() == 0);
    assertTrue(living() <= 2, living() + " live");
    assertTrue(acquireAndRelease(ONE).worker().isAlive());
  }
}
