// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.store;

import dev.sandgate.node.store.Database.Change;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscBlockingConsumerArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that changes the database: what queued up while it worked goes into one transaction. A
 * platform thread, since SQLite's native code would pin the carrier of a virtual one.
 */
final class Writer {

  private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
  private static final int BATCH = 512;
  private static final int QUEUE = 1 << 17;
  private static final long FULL_PAUSE_NANOS = 100_000;
  private static final Item LAST = new Item(_ -> {}, new CompletableFuture<>());

  private final Statements statements;
  private final MpscBlockingConsumerArrayQueue<Item> queue =
      new MpscBlockingConsumerArrayQueue<>(QUEUE);
  private final Thread thread;
  private volatile boolean closed;
  private final AtomicLong commits = new AtomicLong();

  private record Item(Change change, CompletableFuture<Void> done) {}

  Writer(Statements statements) {
    this.statements = statements;
    this.thread = Thread.ofPlatform().name("sandgate-database").daemon().start(this::run);
  }

  CompletableFuture<Void> submit(Change change) {
    Item item = new Item(change, new CompletableFuture<>());
    if (closed || !queue.offer(item)) {
      item.done.completeExceptionally(
          closed
              ? closing()
              : new SandgateException(
                  ErrorCode.RESOURCE_EXHAUSTED, "the database does not keep up; retry later"));
    }
    return item.done;
  }

  /** How many transactions were committed. */
  long commits() {
    return commits.get();
  }

  void close() {
    closed = true;
    try {
      while (!queue.offer(LAST)) {
        LockSupport.parkNanos(FULL_PAUSE_NANOS);
      }
      thread.join();
      statements.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      throw Database.broken("cannot close the database", e);
    }
  }

  private void run() {
    List<Item> batch = new ArrayList<>(BATCH);
    boolean last = false;
    while (!last) {
      try {
        batch.add(queue.take());
        queue.drain(batch::add, BATCH - 1);
        last = batch.remove(LAST);
        commit(batch);
      } catch (InterruptedException e) {
        LOG.warn("interrupted, closing", e);
        last = true;
      }
      batch.clear();
    }
    queue.drain(item -> item.done.completeExceptionally(closing()));
  }

  private static SandgateException closing() {
    return new SandgateException(ErrorCode.CANCELLED, "the node is closing");
  }

  private void commit(List<Item> batch) {
    try {
      together(batch);
      batch.forEach(item -> item.done.complete(null));
    } catch (SQLException | RuntimeException together) {
      LOG.debug("a change of {} failed, doing them one by one", batch.size(), together);
      batch.forEach(this::alone);
    }
  }

  private void together(List<Item> batch) throws SQLException {
    if (batch.isEmpty()) {
      return;
    }
    statements.begin();
    try {
      for (Item item : batch) {
        item.change.apply(statements);
      }
      statements.commit();
    } catch (SQLException | RuntimeException e) {
      rollback(e);
      throw e;
    }
    commits.incrementAndGet();
  }

  /** A full disk may have rolled back by itself. */
  private void rollback(Exception cause) {
    try {
      statements.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private void alone(Item item) {
    try {
      together(List.of(item));
      item.done.complete(null);
    } catch (SQLException e) {
      item.done.completeExceptionally(Database.broken("cannot write", e));
    } catch (RuntimeException e) {
      item.done.completeExceptionally(e);
    }
  }
}
