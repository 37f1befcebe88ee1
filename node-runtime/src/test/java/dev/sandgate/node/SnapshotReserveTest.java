// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What snapshots leave of the node's disk. Needs root. */
@Tag("root")
class SnapshotReserveTest {

  private static final String SETTING = "node.disk-reserve-bytes";
  private static final long GIB = 1L << 30;

  private final Map<String, String> settings = new HashMap<>();

  private void assertLeavesNothing(ContainerNode node) throws IOException {
    for (String place : List.of("snapshots", "backends/container/uppers/.staging")) {
      try (var left = Files.list(node.node().directory().resolve(place))) {
        assertEquals(List.of(), left.toList());
      }
    }
  }

  private static void assertRefuses(Box box) {
    Failed failed = refused(GrpcStatus.RESOURCE_EXHAUSTED, () -> box.seal("holes"));
    assertEquals(SETTING, failed.detail().getField(), failed.getMessage());
  }

  private Box again(ContainerNode node, Box box, long reserve) {
    settings.put(SETTING, Long.toString(reserve));
    node.node().restart();
    return new Box(node.rpc(), box.id());
  }

  /** Holes take no room where they are, and all of it in an image. */
  @Test
  void shouldRefuseASnapshotWhoseImageWouldReachIntoTheReserve() throws IOException {
    try (ContainerNode node =
        ContainerNode.configured(
            config ->
                settings.entrySet().stream()
                    .reduce(
                        config,
                        (all, one) -> TestNode.with(all, one.getKey(), one.getValue()),
                        (one, _) -> one))) {
      Box box = Box.of(node.rpc(), "busybox");
      box.says("echo some > /some; truncate -s 15G /holes");
      Path data = node.node().directory();
      box = again(node, box, Files.getFileStore(data).getUsableSpace() - GIB);
      assertRefuses(box);
      assertLeavesNothing(node);
      box.says("rm /holes");
      box = again(node, box, 0);
      assertEquals("some", box.says("cat /some"));
      box.seal("sealed");
      box.close();
    }
  }
}
