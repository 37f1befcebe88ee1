// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The table of sandboxes. */
public final class SandboxRows {

  /** Statements that make the table. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS sandboxes (
            id TEXT PRIMARY KEY,
            sequence INTEGER NOT NULL,
            record BLOB NOT NULL,
            environment TEXT NOT NULL,
            request_key TEXT NOT NULL,
            fingerprint TEXT NOT NULL
          ) WITHOUT ROWID\
          """);

  private final Database database;

  SandboxRows(Database database) {
    this.database = database;
  }

  /**
   * A sandbox as it was recorded.
   *
   * @param record everything a caller sees, and the values of variables
   * @param sequence its age
   * @param environment digest of its environment
   * @param key the create call's idempotency key, or empty
   */
  record Stored(Sandbox record, long sequence, String environment, RequestKey key) {}

  CompletableFuture<Void> insert(LiveSandbox live, RequestKey key) {
    return database.change(
        "INSERT INTO sandboxes VALUES (?, ?, ?, ?, ?, ?)",
        live.id(),
        live.sequence(),
        live.secret().toByteArray(),
        live.stack().environment(),
        key.key(),
        key.fingerprint());
  }

  CompletableFuture<Void> update(LiveSandbox live) {
    return database.change(
        "UPDATE sandboxes SET record = ? WHERE id = ?", live.secret().toByteArray(), live.id());
  }

  CompletableFuture<Void> delete(String id, List<Database.Change> others) {
    return database.change(
        statements -> {
          statements.update("DELETE FROM sandboxes WHERE id = ?", id);
          for (Database.Change other : others) {
            other.apply(statements);
          }
        });
  }

  List<Stored> load() {
    return database.query("SELECT * FROM sandboxes ORDER BY sequence", SandboxRows::read);
  }

  private static Stored read(ResultSet row) throws SQLException {
    try {
      return new Stored(
          Sandbox.parseFrom(row.getBytes("record")),
          row.getLong("sequence"),
          row.getString("environment"),
          new RequestKey(row.getString("request_key"), row.getString("fingerprint")));
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(ErrorCode.INTERNAL, "", "a sandbox's record is damaged", e);
    }
  }
}
