// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SharingNodes.top;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.SharingNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a node has of shared layers after its host was started anew, which its mark of the boot tells. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedRebootTest {

  private SharingNodes nodes;

  @BeforeAll
  void begin() {
    nodes = new SharingNodes();
    ContainerNode maker = nodes.node();
    SharingNodes.imported(maker, "work", nodes.tree("tree", 11));
    SharingNodes.share(maker, "work");
  }

  @AfterAll
  void end() {
    nodes.close();
  }

  private static void reboot(ContainerNode node) throws IOException {
    node.node().stop();
    Path mark = node.node().directory().resolve("shared/boot");
    assertTrue(Files.exists(mark));
    Files.writeString(mark, "of another boot");
    node.node().begin();
  }

  private static String all(ContainerNode node) {
    try (Box box = Box.of(node.rpc(), "work")) {
      return box.says("find /w -type f -exec sha256sum {} + | sort | sha256sum");
    }
  }

  @Test
  void shouldUseALayerThatWasPulledAsAWhole() throws IOException {
    ContainerNode node = nodes.node();
    SharingNodes.pull(node, "work");
    String before = all(node);
    reboot(node);
    assertEquals(top(node, "work").getSizeBytes(), top(node, "work").getLocalBytes());
    assertEquals(before, all(node));
    assertEquals(0, top(node, "work").getDemandBytes(), "it was here");
  }

  @Test
  void shouldReadALayerAgainThatWasHereInPart() throws IOException {
    ContainerNode node = nodes.node();
    String before = all(node);
    reboot(node);
    assertEquals(before, all(node));
    assertTrue(top(node, "work").getDemandBytes() > 16 << 20);
  }
}
