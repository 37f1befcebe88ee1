// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.SharingNodes;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of the images of environments that were removed. */
@Tag("root")
class RemovedLayersTest {

  @TempDir private Path directory;
  private static ContainerNode node;

  @BeforeAll
  static void begin() {
    node = new ContainerNode();
  }

  @AfterAll
  static void end() {
    node.close();
  }

  /** Its layer's digest, without what it begins with. */
  private String workspace(String name) throws IOException {
    Path tree = Files.createDirectories(directory.resolve(name));
    Files.writeString(tree.resolve(name), name);
    Environment made = SharingNodes.imported(node, name, tree);
    return made.getLayersList().getLast().getDigest().substring("sha256:".length());
  }

  private static void remove(String name) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Remove,
            RemoveEnvironmentRequest.newBuilder().setReference(name).build());
  }

  /** The store and each backend name an image by its digest. */
  private static List<String> left(String digest) {
    try (Stream<Path> all = Files.walk(node.node().directory())) {
      return all.map(Path::toString).filter(file -> file.contains(digest)).toList();
    } catch (IOException | UncheckedIOException changing) {
      return List.of("not known");
    }
  }

  @Test
  void shouldFreeTheDiskOfARemovedEnvironmentThatSandboxesStoodOn() throws IOException {
    String digest = workspace("left");
    try (Box box = Box.of(node.rpc(), "left")) {
      box.says("cat /left");
    }
    assertTrue(left(digest).size() > 1, left(digest).toString());
    remove("left");
    Eventually.holds("its image is gone under all of its names", () -> left(digest).isEmpty());
  }

  @Test
  void shouldMakeTheSameLayerAgainAfterwards() throws IOException {
    workspace("again");
    Box.of(node.rpc(), "again").close();
    remove("again");
    workspace("again");
    try (Box box = Box.of(node.rpc(), "again")) {
      assertTrue(box.says("cat /again").contains("again"));
    }
    remove("again");
  }

  @Test
  void shouldFreeTheDiskOfARemovedToolkitWithTheLastSandboxThatHasIt() throws IOException {
    String digest = workspace("tool");
    SandboxSpec spec =
        SandboxSpec.newBuilder()
            .setEnvironment("busybox")
            .addLayers("tool")
            .setUser("root")
            .build();
    try (Box box = Box.of(node.rpc(), spec)) {
      remove("tool");
      box.reset();
      assertEquals("tool", box.says("cat /tool"));
    }
    Eventually.holds("its image is gone under all of its names", () -> left(digest).isEmpty());
  }
}
