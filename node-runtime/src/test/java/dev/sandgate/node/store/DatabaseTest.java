// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes are committed together, fail alone, and are done when their futures are. */
class DatabaseTest {

  @TempDir Path directory;
  private Database database;

  @BeforeEach
  void open() {
    database =
        Database.open(
            directory.resolve("t.db"),
            List.of("CREATE TABLE t (k INTEGER PRIMARY KEY)"),
            Durability.PROCESS);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private long count() {
    return database.query("SELECT COUNT(*) FROM t", row -> row.getLong(1)).getFirst();
  }

  @Test
  void shouldAddAColumnOnceAndKeepTheRows() {
    database.change("INSERT INTO t VALUES (7)").join();
    List<String> later =
        List.of(
            "CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY)",
            "ALTER TABLE t ADD COLUMN late TEXT NOT NULL DEFAULT 'none'");
    for (int start = 0; start < 2; start++) {
      database.close();
      database = Database.open(directory.resolve("t.db"), later, Durability.PROCESS);
      assertEquals(
          List.of("none"),
          database.query("SELECT late FROM t WHERE k = 7", row -> row.getString(1)));
    }
  }

  @Test
  void shouldCommitWhatQueuedUpTogether() {
    CountDownLatch queued = new CountDownLatch(1);
    CompletableFuture<Void> first =
        database.change(
            statements -> {
              try {
                queued.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    List<CompletableFuture<Void>> changes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      changes.add(database.change("INSERT INTO t VALUES (?)", i));
    }
    queued.countDown();
    first.join();
    changes.forEach(CompletableFuture::join);
    assertEquals(500, count());
    assertTrue(database.commits() <= 4, database.commits() + " commits");
  }

  @Test
  void shouldFailOneChangeAndKeepTheOthersOfItsBatch() {
    CompletableFuture<Void> one = database.change("INSERT INTO t VALUES (1)");
    CompletableFuture<Void> twice = database.change("INSERT INTO t VALUES (1)");
    CompletableFuture<Void> two = database.change("INSERT INTO t VALUES (2)");
    one.join();
    two.join();
    CompletionException failed = assertThrows(CompletionException.class, twice::join);
    SandgateException cause = assertInstanceOf(SandgateException.class, failed.getCause());
    assertEquals(ErrorCode.ALREADY_EXISTS, cause.code());
    assertEquals(2, count());
  }

  @Test
  void shouldShowAChangeToReadersWhenItIsDone() {
    for (int i = 0; i < 200; i++) {
      database.change("INSERT INTO t VALUES (?)", i).join();
      assertEquals(i + 1, count());
    }
    database.sync();
  }
}
