// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The table of commands, written behind: what changed within a few milliseconds goes into one transaction, so
 * that a short command costs one row.
 */
public final class ExecRows implements Journal {

  /** Statements that make the table. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS execs (
            sandbox_id TEXT NOT NULL,
            exec_id TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            record BLOB NOT NULL,
            PRIMARY KEY (sandbox_id, exec_id)
          ) WITHOUT ROWID\
          """);

  private static final long DELAY_MILLIS = 50;

  private final Database database;
  private final Timeouts timeouts = new Timeouts();
  private final ConcurrentLinkedQueue<Entry> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  ExecRows(Database database) {
    this.database = database;
  }

  private record Entry(ExecRecord record, boolean gone, @Nullable CompletableFuture<Void> done) {}

  /** A command as it was recorded. */
  record Stored(Exec exec, long sequence) {}

  @Override
  public void intent(ExecRecord record) {
    add(new Entry(record, false, null));
  }

  @Override
  public void notStarted(ExecRecord record) {
    add(new Entry(record, true, null));
  }

  @Override
  public CompletableFuture<Void> result(ExecRecord record) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    add(new Entry(record, false, done));
    return done;
  }

  @Override
  public void forget(ExecRecord record) {
    add(new Entry(record, true, null));
  }

  List<Stored> load(String sandboxId) {
    return database.query(
        "SELECT record, sequence FROM execs WHERE sandbox_id = ? ORDER BY sequence",
        ExecRows::read,
        sandboxId);
  }

  CompletableFuture<Void> forgetAll(String sandboxId) {
    return database.change("DELETE FROM execs WHERE sandbox_id = ?", sandboxId);
  }

  /** Writes what is waiting and stops. */
  void close() {
    timeouts.close();
    flush();
  }

  private void add(Entry entry) {
    queue.add(entry);
    if (scheduled.compareAndSet(false, true)) {
      var _ = timeouts.after(DELAY_MILLIS, this::flush);
    }
  }

  private void flush() {
    scheduled.set(false);
    List<Entry> batch = new ArrayList<>();
    for (Entry entry = queue.poll(); entry != null; entry = queue.poll()) {
      batch.add(entry);
    }
    if (!batch.isEmpty()) {
      var _ =
          database
              .change(connection -> write(connection, batch))
              .whenComplete((_, failure) -> written(batch, failure));
    }
  }

  private static void written(List<Entry> batch, @Nullable Throwable failure) {
    if (failure != null) {
      Executions.LOG.error("{} commands could not be recorded", batch.size(), failure);
    }
    for (Entry entry : batch) {
      CompletableFuture<Void> done = entry.done;
      if (done != null && failure == null) {
        done.complete(null);
      }
    }
  }

  private static void write(Connection connection, List<Entry> batch) throws SQLException {
    try (PreparedStatement put =
            connection.prepareStatement("INSERT OR REPLACE INTO execs VALUES (?, ?, ?, ?)");
        PreparedStatement drop =
            connection.prepareStatement("DELETE FROM execs WHERE sandbox_id = ? AND exec_id = ?")) {
      for (Entry entry : batch) {
        ExecRecord record = entry.record;
        boolean endedSince = entry.done == null && record.result() != null;
        PreparedStatement statement = entry.gone ? drop : put;
        if (entry.gone || !endedSince) {
          statement.setString(1, record.sandbox().id());
          statement.setString(2, record.execId());
        }
        if (entry.gone) {
          drop.executeUpdate();
        } else if (!endedSince) {
          put.setLong(3, record.sequence());
          put.setBytes(4, Execs.shown(record).toByteArray());
          put.executeUpdate();
        }
      }
    }
  }

  private static Stored read(ResultSet row) throws SQLException {
    try {
      return new Stored(Exec.parseFrom(row.getBytes("record")), row.getLong("sequence"));
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(ErrorCode.INTERNAL, "", "a command's record is damaged", e);
    }
  }

  /** The result of a recorded command, or null while it ran. */
  static @Nullable ExecResult result(Stored stored) {
    return stored.exec().hasResult() ? stored.exec().getResult() : null;
  }
}
