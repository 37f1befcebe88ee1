// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.client.Execs;
import dev.sandgate.client.Sandgate;
import dev.sandgate.load.chaos.check.Account;
import dev.sandgate.load.chaos.check.Ending;
import dev.sandgate.load.chaos.check.Transcript;
import dev.sandgate.load.chaos.seed.Order;
import dev.sandgate.load.chaos.seed.Orders;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Callers who each follow one command after another until they are told to stop. Closing waits for nobody. */
final class Workload implements AutoCloseable {

  private static final int MOST_COMMANDS = 20_000;

  private final List<Sandgate> clients;
  private final Boxes boxes;
  private final Timeline timeline;
  private final Tally tally;
  private final Orders orders;
  private final Random random;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final List<Future<List<Account>>> callers = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private long deadlineNanos;
  private int begun;

  Workload(List<Sandgate> clients, Boxes boxes, Timeline timeline, Tally tally, long seed) {
    this.clients = List.copyOf(clients);
    this.boxes = boxes;
    this.timeline = timeline;
    this.tally = tally;
    this.orders = new Orders(seed);
    this.random = new Random(seed);
  }

  /** Begins with so many callers, who give up at a time. */
  void begin(int count, long untilNanos) {
    deadlineNanos = untilNanos;
    for (int i = 0; i < count; i++) {
      callers.add(threads.submit(this::callOneAfterAnother));
    }
  }

  private List<Account> callOneAfterAnother() {
    List<Account> accounts = new ArrayList<>();
    Order order = nextOrder();
    while (order != null) {
      accounts.add(follow(order));
      order = nextOrder();
    }
    return accounts;
  }

  private synchronized @Nullable Order nextOrder() {
    if (stopping.get() || begun >= MOST_COMMANDS) {
      return null;
    }
    begun++;
    tally.add("commands");
    return orders.next(boxes.any(random).id());
  }

  private Account follow(Order order) {
    long since = System.nanoTime();
    Job.Setting setting = new Job.Setting(timeline, tally, deadlineNanos);
    Transcript live = new Job(order, execs(order.plan().boxId()), setting).follow();
    boolean died = timeline.diedSince(since) || boxes.of(order.plan().boxId()).struck();
    count(live);
    return new Account(order.plan(), live, null, died);
  }

  private void count(Transcript live) {
    if (live.ending() instanceof Ending.Unknown || live.ending() instanceof Ending.Lost) {
      tally.add("unknown_results");
    }
    tally.add("truncated_bytes", live.truncatedBytes());
  }

  private Supplier<Execs> execs(String boxId) {
    return () -> {
      int any = ThreadLocalRandom.current().nextInt(clients.size());
      return clients.get(any).sandboxes().handle(boxId).execs();
    };
  }

  /** Lets every caller follow its last command to the end; gives all accounts. */
  List<Account> finish() throws ExecutionException, InterruptedException {
    stopping.set(true);
    List<Account> accounts = new ArrayList<>();
    for (Future<List<Account>> caller : callers) {
      accounts.addAll(caller.get());
    }
    return accounts;
  }

  /** How many commands were begun. */
  synchronized int begun() {
    return begun;
  }

  @Override
  public void close() {
    stopping.set(true);
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
        throw new IllegalStateException("callers do not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
