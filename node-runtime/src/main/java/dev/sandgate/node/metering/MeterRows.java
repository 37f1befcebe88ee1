// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterState;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The tables of meters: one row per sandbox that has a record, and the sum of those that had. */
public final class MeterRows {

  /** Statements that make the tables. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS meters (
            sandbox_id TEXT PRIMARY KEY,
            state BLOB NOT NULL
          ) WITHOUT ROWID\
          """,
          """
          CREATE TABLE IF NOT EXISTS meters_expired (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            sum BLOB NOT NULL
          )\
          """);

  private final Database database;

  MeterRows(Database database) {
    this.database = database;
  }

  /** All of them by sandbox, and none of others; blocks. */
  Map<String, MeterState> load() {
    database.change("DELETE FROM meters WHERE sandbox_id NOT IN (SELECT id FROM sandboxes)").join();
    Map<String, MeterState> states = new HashMap<>();
    database
        .query(
            "SELECT sandbox_id, state FROM meters",
            row -> Map.entry(row.getString(1), parsed(MeterState.parser(), row.getBytes(2))))
        .forEach(entry -> states.put(entry.getKey(), entry.getValue()));
    return states;
  }

  /** The sum of those whose records are gone; blocks. */
  Meter expired() {
    return database
        .query("SELECT sum FROM meters_expired", row -> parsed(Meter.parser(), row.getBytes(1)))
        .stream()
        .findFirst()
        .orElse(Meter.getDefaultInstance());
  }

  /** Records them as they are now; one call after the other, so that none overtakes a later one. */
  synchronized CompletableFuture<Void> put(Collection<Metered> all) {
    Map<String, byte[]> states = new HashMap<>();
    all.forEach(one -> states.put(one.live().id(), one.meter().stored().toByteArray()));
    return database.change(
        statements -> {
          for (Map.Entry<String, byte[]> state : states.entrySet()) {
            statements.update(
                "INSERT OR REPLACE INTO meters VALUES (?, ?)", state.getKey(), state.getValue());
          }
        });
  }

  /** What moves a sandbox into the sum, which is this from then on. */
  static Database.Change expire(String sandboxId, Meter sum) {
    byte[] bytes = sum.toByteArray();
    return statements -> {
      statements.update("DELETE FROM meters WHERE sandbox_id = ?", sandboxId);
      statements.update("INSERT OR REPLACE INTO meters_expired VALUES (1, ?)", bytes);
    };
  }

  private static <T> T parsed(Parser<T> parser, byte[] bytes) {
    try {
      return parser.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(ErrorCode.INTERNAL, "", "a meter's record is damaged", e);
    }
  }
}
