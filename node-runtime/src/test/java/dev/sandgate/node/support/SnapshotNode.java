// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.RemoveSnapshotRequest;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import io.vertx.grpc.common.GrpcStatus;
import java.nio.file.Path;
import java.util.UUID;

/** A node with containers whose snapshots are looked at. */
public final class SnapshotNode implements AutoCloseable {

  private final ContainerNode host = new ContainerNode();

  /** Calls of the node. */
  public Rpc rpc() {
    return host.rpc();
  }

  /** The node. */
  public TestNode node() {
    return host.node();
  }

  /** A new sandbox. */
  public Box box(String environment) {
    return Box.of(host.rpc(), environment);
  }

  /** A name that nothing has. */
  public static String name() {
    return "s-" + UUID.randomUUID().toString().substring(0, 8);
  }

  /** The image of a snapshot's own layer. */
  public Path image(Snapshot snapshot) {
    var layers = snapshot.getEnvironment().getLayersList();
    return host.node()
        .directory()
        .resolve("layers")
        .resolve(layers.getLast().getDigest().replace(':', '-') + ".erofs");
  }

  /** Removes a snapshot. */
  public void remove(String name) {
    host.rpc()
        .unary(
            SnapshotsGrpcClient.Remove,
            RemoveSnapshotRequest.newBuilder().setReference(name).build());
  }

  /** The failure of a call that must fail so. */
  public static Failed refused(GrpcStatus status, Runnable call) {
    Failed failed = assertThrows(Failed.class, call::run);
    assertEquals(status, failed.status(), failed.getMessage());
    return failed;
  }

  @Override
  public void close() {
    host.close();
  }
}
