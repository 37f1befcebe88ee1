// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.store;

import dev.sandgate.node.store.Database.Change;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that changes the database. A platform thread, since SQLite's native code would pin the
 * carrier of a virtual one.
 */
final class Writer {

  private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
  private static final int BATCH = 512;
  private static final int QUEUE = 100_000;
  private static final Item LAST = new Item(_ -> {}, new CompletableFuture<>());

  private final Connection connection;
  private final LinkedBlockingQueue<Item> queue = new LinkedBlockingQueue<>(QUEUE);
  private final Thread thread;
  private volatile boolean closed;

  private record Item(Change change, CompletableFuture<Void> done) {}

  Writer(Connection connection) {
    this.connection = connection;
    this.thread = Thread.ofPlatform().name("sandgate-database").daemon().start(this::run);
  }

  CompletableFuture<Void> submit(Change change) {
    Item item = new Item(change, new CompletableFuture<>());
    if (closed || !queue.offer(item)) {
      item.done.completeExceptionally(
          new SandgateException(
              closed ? ErrorCode.CANCELLED : ErrorCode.RESOURCE_EXHAUSTED,
              closed ? "the node is closing" : "the database does not keep up; retry later"));
    }
    return item.done;
  }

  void close() {
    closed = true;
    try {
      queue.put(LAST);
      thread.join();
      connection.close();
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
        queue.drainTo(batch, BATCH - 1);
        last = batch.remove(LAST);
        commit(batch);
      } catch (InterruptedException e) {
        LOG.warn("interrupted, closing", e);
        last = true;
      }
      batch.clear();
    }
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
    connection.setAutoCommit(false);
    try {
      for (Item item : batch) {
        item.change.apply(connection);
      }
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
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
