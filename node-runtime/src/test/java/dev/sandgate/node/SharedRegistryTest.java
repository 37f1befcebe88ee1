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
import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SharingNodes;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds of a shared directory, in a registry; and what a registry can do besides. Needs root. */
@Tag("root")
final class SharedRegistryTest extends SharedLayersTest {

  private static final long PATIENCE_MILLIS = 1_500;

  private long seed;

  @Override
  SharingNodes sharing() {
    return SharingNodes.inRegistry();
  }

  private ContainerNode impatient() {
    return nodes.node(Map.of("node.shared-layers-timeout-ms", String.valueOf(PATIENCE_MILLIS)));
  }

  private String shared() throws IOException {
    String name = name();
    Path tree = Files.createDirectories(nodes.beside("small"));
    byte[] content = new byte[3 << 20];
    new java.util.Random(++seed).nextBytes(content);
    Files.write(tree.resolve("payload"), content);
    imported(maker, name, tree);
    share(maker, name);
    return name;
  }

  @Test
  void shouldFailInTimeWhenTheRegistryAnswersNothingAndGoOnWithWhatIsHere() throws IOException {
    String begun = shared();
    ContainerNode other = impatient();
    String unseen = shared();
    try (Box living = Box.of(other.rpc(), begun)) {
      living.says("head -c 1000 /payload");
      nodes.registry().stop();
      long before = System.nanoTime();
      Failed failed = refused(GrpcStatus.UNAVAILABLE, () -> Box.of(other.rpc(), unseen));
      assertEquals("LAYERS_UNAVAILABLE", failed.detail().getCode());
      assertEquals("node.shared-layers", failed.detail().getField());
      Box.of(other.rpc(), "busybox").close();
      assertNotEquals(0, living.run("cat /payload > /dev/null").getExitCode());
      assertEquals("ok", living.says("echo ok"));
      long millis = (System.nanoTime() - before) / 1_000_000;
      assertTrue(millis < 6 * PATIENCE_MILLIS, "it was waited for " + millis + " ms");
      nodes.registry().goOn();
      Eventually.holds(
          "all can be read again", () -> living.run("cat /payload").getExitCode() == 0);
    } finally {
      nodes.registry().goOn();
    }
    Box.of(other.rpc(), unseen).close();
  }

  @Test
  void shouldFindAChangedByteAndRefuseTheLayerByItsName() throws IOException {
    String name = shared();
    String digest = top(maker, name).getDigest();
    Path blob = nodes.registry().blob(digest);
    try (RandomAccessFile open = new RandomAccessFile(blob.toFile(), "rw")) {
      open.seek(open.length() - (1 << 20));
      int before = open.read();
      open.seek(open.length() - (1 << 20));
      open.write(before ^ 1);
    }
    ContainerNode other = impatient();
    try (Box box = Box.of(other.rpc(), name)) {
      assertNotEquals(0, box.run("cat /payload > /dev/null").getExitCode());
    }
    assertTrue(figures(other).getOnDemand().getDamaged() > 0);
    Failed failed = refused(GrpcStatus.FAILED_PRECONDITION, () -> Box.of(other.rpc(), name));
    assertTrue(String.valueOf(failed.getMessage()).contains(digest), failed.getMessage());
    failed = refused(GrpcStatus.FAILED_PRECONDITION, () -> pull(other, name));
    assertTrue(String.valueOf(failed.getMessage()).contains(digest), failed.getMessage());
  }

  @Test
  void shouldMoveANameOnlyWhenToldAndTakeItAway() throws IOException {
    String name = shared();
    ContainerNode other = impatient();
    Path changed = Files.createDirectories(nodes.beside("changed"));
    Files.writeString(changed.resolve("payload"), "new");
    imported(other, name, changed);
    refused(GrpcStatus.ALREADY_EXISTS, () -> share(other, name));
    ContainerNode third = impatient();
    assertEquals(get(maker, name).getDigest(), get(third, name).getDigest());
    assertTrue(
        third
            .rpc()
            .unary(EnvironmentsGrpcClient.List, ListEnvironmentsRequest.getDefaultInstance())
            .getEnvironmentsList()
            .stream()
            .anyMatch(one -> one.getName().equals(name) && one.getShared()));
    unshare(third, name);
    refused(GrpcStatus.NOT_FOUND, () -> get(third, name));
    refused(GrpcStatus.NOT_FOUND, () -> unshare(third, name));
    share(other, name);
    assertEquals(get(other, name).getDigest(), get(third, name).getDigest());
  }

  private static void unshare(ContainerNode node, String name) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Unshare,
            UnshareEnvironmentRequest.newBuilder().setReference(name).build());
  }
}
