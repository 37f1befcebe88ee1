// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sessions;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Session;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The table of sessions. */
public final class SessionRows {

  /** Statements that make the table. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS sessions (
            sandbox_id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            record BLOB NOT NULL,
            PRIMARY KEY (sandbox_id, session_id)
          ) WITHOUT ROWID\
          """);

  private final Database database;

  SessionRows(Database database) {
    this.database = database;
  }

  CompletableFuture<Void> put(Session session) {
    return database.change(
        "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)",
        session.getSandboxId(),
        session.getSessionId(),
        session.toByteArray());
  }

  CompletableFuture<Void> delete(Session session) {
    return database.change(
        "DELETE FROM sessions WHERE sandbox_id = ? AND session_id = ?",
        session.getSandboxId(),
        session.getSessionId());
  }

  CompletableFuture<Void> deleteAll(String sandboxId) {
    return database.change("DELETE FROM sessions WHERE sandbox_id = ?", sandboxId);
  }

  List<Session> load(String sandboxId) {
    return database.query(
        "SELECT record FROM sessions WHERE sandbox_id = ?", SessionRows::read, sandboxId);
  }

  private static Session read(ResultSet row) throws SQLException {
    try {
      return Session.parseFrom(row.getBytes("record"));
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(ErrorCode.INTERNAL, "", "a session's record is damaged", e);
    }
  }
}
