// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** How snapshots came about, by the digest of the environment that each is. */
public final class SnapshotRows {

  /** Statements that make the table. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS snapshots (
            digest TEXT PRIMARY KEY,
            record BLOB NOT NULL
          ) WITHOUT ROWID\
          """);

  private final Database database;
  private final Map<String, Snapshot> records = new ConcurrentHashMap<>();

  SnapshotRows(Database database) {
    this.database = database;
    database
        .query("SELECT record FROM snapshots", SnapshotRows::read)
        .forEach(record -> records.put(record.getEnvironment().getDigest(), record));
  }

  Optional<Snapshot> find(String digest) {
    return Optional.ofNullable(records.get(digest));
  }

  /** Keeps one; blocks until it is recorded. */
  void put(Snapshot snapshot) {
    String digest = snapshot.getEnvironment().getDigest();
    database
        .change("INSERT OR REPLACE INTO snapshots VALUES (?, ?)", digest, snapshot.toByteArray())
        .join();
    records.put(digest, snapshot);
  }

  /**
   * Forgets those that no environment is any more and no kept one stands on; blocks.
   *
   * @param digests of the environments that there are; asked for when it is known whose records are looked at, so that one that
   *     comes meanwhile stays
   */
  void keep(Supplier<Set<String>> digests) {
    List<String> known = List.copyOf(records.keySet());
    Set<String> there = digests.get();
    for (String digest : known) {
      boolean needed = there.contains(digest) || hasChild(digest);
      if (!needed && records.remove(digest) != null) {
        database.change("DELETE FROM snapshots WHERE digest = ?", digest).join();
      }
    }
  }

  private boolean hasChild(String digest) {
    return records.values().stream().anyMatch(other -> other.getParentDigest().equals(digest));
  }

  private static Snapshot read(ResultSet row) throws SQLException {
    try {
      return Snapshot.parseFrom(row.getBytes("record"));
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(ErrorCode.INTERNAL, "", "a snapshot's record is damaged", e);
    }
  }
}
