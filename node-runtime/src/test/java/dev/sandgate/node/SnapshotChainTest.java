// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.SnapshotNode;
import dev.sandgate.proto.v1.GetSnapshotRequest;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of sandboxes of snapshots, many times over. */
@Tag("root")
class SnapshotChainTest {

  private static final int LONG = 25;

  private static SnapshotNode node;

  @BeforeAll
  static void begin() {
    node = new SnapshotNode();
  }

  @AfterAll
  static void end() {
    node.close();
  }

  /** Adds, changes, removes, replaces a directory by a new one and a file by a link, as work does. */
  private static String step(int number) {
    return """
    mkdir -p /w/d && cd /w && echo %1$d > f%1$d && echo %1$d >> log && rm -f f%2$d
    rm -rf d && mkdir d && echo %1$d > d/only-%1$d
    ln -sfn f%1$d latest; mv f%3$d moved 2> /dev/null; chmod 6%4$d0 log; true"""
        .formatted(number, number - 3, number - 2, number % 8);
  }

  @Test
  void shouldRestoreEachOfAChainOfTwentyFive() {
    List<String> views = new ArrayList<>();
    String before = "busybox";
    for (int i = 0; i < LONG; i++) {
      try (Box box = node.box(before)) {
        box.says(step(i));
        views.add(box.says(Box.MANIFEST));
        before = "chain" + i;
        box.seal(before);
      }
    }
    node.node().restart();
    for (int i = 0; i < LONG; i += 3) {
      try (Box box = node.box("chain" + i)) {
        assertEquals(views.get(i), box.says(Box.MANIFEST), "chain" + i);
        assertEquals("only-" + i, box.says("ls /w/d"));
        assertEquals(String.valueOf(i + 1), box.says("wc -l < /w/log"));
      }
    }
    GetSnapshotRequest last = GetSnapshotRequest.newBuilder().setReference(before).build();
    assertEquals(LONG, node.rpc().unary(SnapshotsGrpcClient.History, last).getSnapshotsCount());
  }
}
