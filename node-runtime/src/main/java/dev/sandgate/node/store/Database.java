// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.store;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/**
 * One SQLite database in WAL mode: changes are queued for one writer, which commits what has queued up
 * together; reads use a connection of their own and block. The log is brought into the database by {@link
 * #sync}, on another thread, so that no change waits for the disk.
 */
public final class Database implements AutoCloseable {

  private static final Pattern COLUMN = Pattern.compile("ALTER TABLE (\\w+) ADD COLUMN (\\w+) ");
  private static final int MOST_LOG_PAGES = 16_384;
  private static final int SQLITE_IO_ERROR = 10;
  private static final int SQLITE_FULL = 13;
  private static final int SQLITE_CONSTRAINT = 19;

  private final Writer writer;
  private final Connection reader;
  private final Connection keeper;
  private long synced;

  private Database(Writer writer, Connection reader, Connection keeper) {
    this.writer = writer;
    this.reader = reader;
    this.keeper = keeper;
  }

  /** A change; runs on the writer's thread inside a transaction. */
  @FunctionalInterface
  public interface Change {
    /** Makes the change. */
    void apply(Statements statements) throws SQLException;
  }

  /** Makes one item of a row. */
  @FunctionalInterface
  public interface Row<T> {
    /** Reads the current row. */
    T read(ResultSet row) throws SQLException;
  }

  /**
   * Opens a database, making what is missing.
   *
   * @param file the database
   * @param schema statements that may be repeated, and {@code ALTER TABLE … ADD COLUMN …}, which are not when they were done
   * @param durability what a change survives once its future is complete
   */
  public static Database open(Path file, List<String> schema, Durability durability) {
    try {
      Connection writing = connect(file);
      run(writing, "PRAGMA wal_autocheckpoint=" + MOST_LOG_PAGES);
      if (durability == Durability.POWER) {
        run(writing, "PRAGMA synchronous=FULL");
      }
      for (String statement : schema) {
        if (!isDone(writing, statement)) {
          run(writing, statement);
        }
      }
      return new Database(new Writer(new Statements(writing)), connect(file), connect(file));
    } catch (SQLException e) {
      throw broken("cannot open the database " + file, e);
    }
  }

  /** A column that came later is there from the second start on. */
  private static boolean isDone(Connection connection, String statement) throws SQLException {
    Matcher added = COLUMN.matcher(statement);
    if (!added.lookingAt()) {
      return false;
    }
    try (PreparedStatement asked =
        connection.prepareStatement("SELECT 1 FROM pragma_table_info(?) WHERE name = ?")) {
      bind(asked, added.group(1), added.group(2));
      try (ResultSet found = asked.executeQuery()) {
        return found.next();
      }
    }
  }

  /** Queues a change; the future completes when it is committed. */
  public CompletableFuture<Void> change(Change change) {
    return writer.submit(change);
  }

  /** Queues one statement with its values. */
  public CompletableFuture<Void> change(String sql, Object... values) {
    return change(statements -> statements.update(sql, values));
  }

  /** How many transactions were committed. */
  long commits() {
    return writer.commits();
  }

  /** Reads rows; blocks. */
  public <T> List<T> query(String sql, Row<T> row, Object... values) {
    synchronized (reader) {
      try (PreparedStatement statement = reader.prepareStatement(sql)) {
        bind(statement, values);
        try (ResultSet rows = statement.executeQuery()) {
          List<T> items = new ArrayList<>();
          while (rows.next()) {
            items.add(row.read(rows));
          }
          return items;
        }
      } catch (SQLException e) {
        throw broken("cannot read", e);
      }
    }
  }

  /**
   * Puts what was committed beyond the reach of power loss, and from the log into the database; blocks, but holds up no
   * change. One at a time.
   */
  public void sync() {
    long commits = writer.commits();
    if (commits == synced) {
      return;
    }
    try {
      run(keeper, "PRAGMA wal_checkpoint(PASSIVE)");
      synced = commits;
    } catch (SQLException e) {
      throw broken("cannot bring the log into the database", e);
    }
  }

  @Override
  public void close() {
    writer.close();
    try {
      reader.close();
      keeper.close();
    } catch (SQLException e) {
      throw broken("cannot close the database", e);
    }
  }

  static SandgateException broken(String what, SQLException cause) {
    ErrorCode code =
        switch (cause.getErrorCode() & 0xff) {
          case SQLITE_FULL, SQLITE_IO_ERROR -> ErrorCode.RESOURCE_EXHAUSTED;
          case SQLITE_CONSTRAINT -> ErrorCode.ALREADY_EXISTS;
          default -> ErrorCode.INTERNAL;
        };
    return new SandgateException(code, "", what + ": " + cause.getMessage(), cause);
  }

  static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }

  private static Connection connect(Path file) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setGetGeneratedKeys(false); // else every change asks for its row's id
    Connection connection = config.createConnection("jdbc:sqlite:" + file);
    run(connection, "PRAGMA journal_mode=WAL");
    run(connection, "PRAGMA synchronous=NORMAL");
    run(connection, "PRAGMA busy_timeout=10000");
    return connection;
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
