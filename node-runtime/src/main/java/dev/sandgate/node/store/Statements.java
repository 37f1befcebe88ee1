// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of the writer, prepared once each: for constant texts only. The writer's thread only. */
public final class Statements {

  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  Statements(Connection connection) {
    this.connection = connection;
  }

  /** Runs one statement with its values; gives the number of rows that changed. */
  public int update(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    Database.bind(statement, values);
    return statement.executeUpdate();
  }

  void begin() throws SQLException {
    update("BEGIN IMMEDIATE");
  }

  void commit() throws SQLException {
    update("COMMIT");
  }

  void rollback() throws SQLException {
    update("ROLLBACK");
  }

  void close() throws SQLException {
    for (PreparedStatement statement : prepared.values()) {
      statement.close();
    }
    connection.close();
  }
}
