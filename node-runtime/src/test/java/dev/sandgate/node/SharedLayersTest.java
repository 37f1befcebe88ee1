// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SharingNodes.figures;
import static dev.sandgate.node.support.SharingNodes.get;
import static dev.sandgate.node.support.SharingNodes.imported;
import static dev.sandgate.node.support.SharingNodes.pull;
import static dev.sandgate.node.support.SharingNodes.share;
import static dev.sandgate.node.support.SharingNodes.top;
import static dev.sandgate.node.support.SnapshotNode.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.SharingNodes;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.CollectedLayer;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayers;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Environments that one node made, on another that has nothing of them. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedLayersTest {

  private static final long MIB = 1 << 20;
  private static final long CHUNK = 256 << 10;

  SharingNodes nodes;
  ContainerNode maker;
  private ContainerNode user;
  private Path tree;

  /** Where they share. */
  SharingNodes sharing() {
    return new SharingNodes();
  }

  @BeforeAll
  void begin() {
    nodes = sharing();
    maker = nodes.node();
    user = nodes.node();
    tree = nodes.tree("tree", 1);
    imported(maker, "work", tree);
    share(maker, "work");
  }

  @AfterAll
  void end() {
    nodes.close();
  }

  @Test
  void shouldStartBeforeTheDataIsLocalAndReadWhatIsUsed() throws IOException {
    ContainerNode fresh = nodes.node();
    Environment seen = get(fresh, "work");
    assertTrue(seen.getShared());
    assertEquals(get(maker, "work").getDigest(), seen.getDigest());
    try (Box box = Box.of(fresh.rpc(), "work")) {
      LayerInfo begun = top(fresh, "work");
      assertTrue(begun.getSizeBytes() > 30 * MIB, begun.toString());
      assertTrue(begun.getLocalBytes() < begun.getSizeBytes() / 4, begun.toString());
      assertEquals(0, begun.getDemandBytes());
      box.says("find /w -ls > /dev/null; find /w -type f | wc -l");
      assertEquals(0, top(fresh, "work").getDemandBytes(), "looking around read data");
      assertEquals(
          digestOf(tree.resolve("w/large")), box.says("sha256sum < /w/large | cut -d' ' -f1"));
      long read = top(fresh, "work").getDemandBytes();
      assertTrue(read >= 16 * MIB - CHUNK && read <= 16 * MIB + 2 * CHUNK, "read " + read);
      assertTrue(top(fresh, "work").getLocalBytes() < begun.getSizeBytes() / 2);
      double fraction = (double) read / begun.getSizeBytes();
      assertEquals(fraction, top(fresh, "work").getAccessedFraction(), 1e-9);
      assertTrue(get(fresh, "work").getAccessedFraction() > 0.3 * fraction);
      assertFalse(top(maker, "work").hasAccessedFraction(), "a local layer's is not measured");
      assertFalse(get(maker, "work").hasAccessedFraction());
      String again = "sha256sum < /w/large; cat /w/module3/src/main/File7.py | wc -c";
      box.says(again);
      Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
      long once = top(fresh, "work").getDemandBytes();
      box.says(again);
      assertEquals(once, top(fresh, "work").getDemandBytes(), "what was here was read again");
    }
    SharedLayers figures = figures(fresh);
    assertEquals(nodes.place(), figures.getDirectory());
    assertEquals(
        figures.getOnDemand().getRequests(),
        figures.getOnDemand().getSizesList().stream().mapToLong(Long::longValue).sum());
    assertTrue(
        figures.getOnDemand().getSizes(3) >= figures.getOnDemand().getRequests() - 2,
        figures.toString());
    assertEquals(0, figures.getWrittenBytes());
    assertEquals(1, figures.getPartialLayers());
  }

  @Test
  void shouldKeepWritesOnTheNode() throws IOException {
    Map<String, String> before = listing();
    String name = name();
    try (Box box = Box.of(user.rpc(), "work")) {
      box.says(
          "echo more >> /w/large; rm -r /w/module1; mkdir /w/module1; echo new > /w/module1/f");
      box.seal(name);
      box.reset();
      assertEquals("50", box.says("ls /w/module1/src/main | wc -l"));
    }
    try (Box box = Box.of(user.rpc(), name)) {
      assertEquals("new\nmore", box.says("cat /w/module1/f; tail -c 5 /w/large"));
    }
    assertEquals(before, listing());
    assertEquals(0, figures(user).getWrittenBytes());
  }

  @Test
  void shouldShowTheSameTreeHoweverItIsRead() {
    String view =
        """
        cd /; find bin etc w -exec stat -c '%n %F %a %u %g %s %Y' {} + | sort | sha256sum
        find w -type f -exec sha256sum {} + | sort | sha256sum""";
    try (Box made = Box.of(maker.rpc(), "work");
        Box used = Box.of(user.rpc(), "work")) {
      assertEquals(made.says(view), used.says(view));
    }
  }

  @Test
  void shouldBringAWholeImageAndMountItFromThenOn() {
    ContainerNode fresh = nodes.node();
    try (Box before = Box.of(fresh.rpc(), "work")) {
      before.says("sha256sum < /w/large");
      long demand = top(fresh, "work").getDemandBytes();
      Environment pulled = pull(fresh, "work");
      LayerInfo layer = pulled.getLayersList().getLast();
      assertEquals(layer.getSizeBytes(), layer.getLocalBytes());
      assertTrue(layer.getBulkBytes() + demand <= layer.getSizeBytes() + CHUNK);
      assertTrue(Files.exists(local(fresh, layer)));
      try (Box later = Box.of(fresh.rpc(), "work")) {
        later.says("cat /w/*/src/main/* > /dev/null");
        before.says("cat /w/*/src/main/* > /dev/null");
        assertEquals(demand, top(fresh, "work").getDemandBytes());
      }
    }
    assertEquals(1, figures(fresh).getWholeLayers());
    assertEquals(0, figures(fresh).getPartialLayers());
  }

  @Test
  void shouldBringItInTheBackground() {
    ContainerNode eager = nodes.node(Map.of("node.shared-layers-pull", "on"));
    try (Box box = Box.of(eager.rpc(), "work")) {
      box.says("head -c 100 /w/large > /dev/null");
      Eventually.holds("all is here", () -> figures(eager).getWholeLayers() == 1);
      assertTrue(Files.exists(local(eager, top(eager, "work"))));
      assertFalse(figures(eager).getInBulk().getSizesList().isEmpty());
    }
  }

  @Test
  void shouldGoOnWithWhatAnEarlierRunBrought() {
    ContainerNode fresh = nodes.node();
    Box box = Box.of(fresh.rpc(), "work");
    box.says("sha256sum < /w/large");
    long here = top(fresh, "work").getLocalBytes();
    long demand = top(fresh, "work").getDemandBytes();
    fresh.node().restart();
    fresh.node().node().adopted().join();
    assertEquals(here, top(fresh, "work").getLocalBytes());
    try (Box after = new Box(fresh.rpc(), box.id())) {
      after.says("sha256sum < /w/large; cat /w/module9/src/main/* > /dev/null");
      long more = top(fresh, "work").getDemandBytes();
      assertTrue(more > demand, more + " after " + demand);
      LayerInfo pulled = pull(fresh, "work").getLayers(1);
      assertTrue(pulled.getBulkBytes() + more <= pulled.getSizeBytes() + CHUNK);
      after.reset();
      after.says("cat /w/large /w/module8/src/main/* > /dev/null");
      assertEquals(more, top(fresh, "work").getDemandBytes());
    }
  }

  @Test
  void shouldRemoveOnlyWhatNothingNeeds() throws IOException {
    String name = name();
    Path small = Files.createDirectories(nodes.beside(name));
    Files.write(small.resolve("payload"), name.getBytes(StandardCharsets.UTF_8));
    imported(maker, name, small);
    share(maker, name);
    String digest = top(maker, name).getDigest();
    try (Box living = Box.of(user.rpc(), name)) {
      assertEquals(List.of(), collected(nodes.node(), 0, digest), "a shared name needs it");
      unshare(name);
      assertEquals(List.of(), collected(user, 0, digest), "a sandbox needs it");
      living.says("cat /payload");
    }
    assertEquals(List.of(), collected(maker, 0, digest), "an environment of the node needs it");
    assertEquals(List.of(), collected(user, 0, digest, digest), "another needs it");
    assertEquals(List.of(), collected(user, 3_600_000, digest), "it was shared a moment ago");
    assertEquals(List.of(digest), collected(user, 0, digest));
    assertEquals(List.of(), collected(user, 0, digest), "it is gone");
    share(maker, name);
    try (Box back = Box.of(nodes.node().rpc(), name)) {
      assertEquals(name, back.says("cat /payload"));
    }
  }

  /** Whether it was removed, as a list. */
  private static List<String> collected(
      ContainerNode node, long idleMillis, String digest, String... needed) {
    return node
        .rpc()
        .unary(
            EnvironmentsGrpcClient.CollectShared,
            CollectSharedRequest.newBuilder()
                .setIdleMillis(idleMillis)
                .setRemove(true)
                .addAllNeeded(List.of(needed))
                .build())
        .getLayersList()
        .stream()
        .map(CollectedLayer::getDigest)
        .filter(digest::equals)
        .toList();
  }

  private void unshare(String name) {
    user.rpc()
        .unary(
            EnvironmentsGrpcClient.Unshare,
            UnshareEnvironmentRequest.newBuilder().setReference(name).build());
  }

  private Map<String, String> listing() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(nodes.shared())) {
      for (Path file : files.toList()) {
        found.put(
            file.toString(),
            Files.readAttributes(file, "unix:ino,size,lastModifiedTime").toString());
      }
    }
    return found;
  }

  private static Path local(ContainerNode node, LayerInfo layer) {
    return node.node()
        .directory()
        .resolve("layers")
        .resolve(layer.getDigest().replace(':', '-') + ".erofs");
  }

  private static String digestOf(Path file) throws IOException {
    try {
      return java.util.HexFormat.of()
          .formatHex(
              java.security.MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
