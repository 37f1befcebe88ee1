// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.node.store.Database;
import dev.sandgate.node.store.Durability;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.Snapshot;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which records of snapshots are kept. */
class SnapshotRowsTest {

  @TempDir private Path directory;

  private Database open() {
    return Database.open(directory.resolve("t.db"), SnapshotRows.SCHEMA, Durability.PROCESS);
  }

  private static Snapshot snapshot(String digest, String parent) {
    return Snapshot.newBuilder()
        .setEnvironment(Environment.newBuilder().setDigest(digest))
        .setParentDigest(parent)
        .build();
  }

  private static String kept(SnapshotRows rows) {
    return Stream.of("a", "b", "c", "d")
        .filter(digest -> rows.find(digest).isPresent())
        .reduce("", String::concat);
  }

  @Test
  void shouldKeepOneThatComesWhileOthersAreForgotten() {
    try (Database database = open()) {
      SnapshotRows rows = new SnapshotRows(database);
      rows.put(snapshot("a", ""));
      rows.put(snapshot("b", "a"));
      rows.put(snapshot("c", ""));
      rows.keep(
          () -> {
            rows.put(snapshot("d", ""));
            return Set.of("b");
          });
      assertEquals("abd", kept(rows));
      assertEquals("abd", kept(new SnapshotRows(database)));
    }
  }
}
