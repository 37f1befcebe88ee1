// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.ShareEnvironmentRequest;
import dev.sandgate.proto.v1.SharedLayers;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, tags and digests become names of files, tags of a registry and keys. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EnvironmentNamesTest {

  private Path shared;
  private TestNode node;

  @BeforeAll
  void begin(@TempDir Path directory) {
    shared = directory;
    node =
        TestNode.start(
            config ->
                TestNode.with(
                    TestNode.with(config, "backend.memory.layered", "true"),
                    "node.shared-layers",
                    shared.toString()));
  }

  @AfterAll
  void end() {
    node.close();
  }

  private Environment importing(ImportEnvironmentRequest.Builder asked) {
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(asked.build());
    return call.rest().getLast().getEnvironment();
  }

  private static ImportEnvironmentRequest.Builder busybox(String name) {
    return ImportEnvironmentRequest.newBuilder().setName(name).setBuiltin("busybox");
  }

  private static void refusedBy(String field, Runnable call) {
    Failed failed = refused(GrpcStatus.INVALID_ARGUMENT, call);
    assertEquals("INVALID_ARGUMENT", failed.detail().getCode());
    assertEquals(field, failed.detail().getField());
  }

  @ParameterizedTest
  @ValueSource(strings = {".", "..", "sha256", "a/b", "A", "a:b"})
  void shouldRefuseANameOrTagThatIsNone(String bad) {
    refusedBy("name", () -> importing(busybox(bad)));
    refusedBy("tag", () -> importing(busybox("good").setTag(bad)));
  }

  @ParameterizedTest
  @ValueSource(strings = {".:latest", "..:latest", "good:.", "good:..", "sha256:aa", "a:b:c"})
  void shouldFindNoFileWhoseNameIsNoKey(String bad) throws IOException {
    Path file = Files.createDirectories(shared.resolve("environments")).resolve(bad);
    Files.writeString(file, "rubbish");
    assertEquals("reference", missing(() -> unshare(bad)));
    assertEquals("reference", missing(() -> get(bad)));
    Files.delete(file);
  }

  private static String missing(Runnable call) {
    return refused(GrpcStatus.NOT_FOUND, call).detail().getField();
  }

  private void get(String reference) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Get,
            GetEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  private void unshare(String reference) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Unshare,
            UnshareEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  @ParameterizedTest
  @ValueSource(strings = {"sha256:", "sha256:../../facts", "sha256:12\0", "sha256:AB"})
  void shouldAskNobodyForWhatIsNoDigest(String bad) throws IOException {
    Path decoy = Files.createDirectories(shared.resolve("layers/sha256-.."));
    Failed failed =
        refused(
            GrpcStatus.NOT_FOUND,
            () -> importing(busybox("on-it").setKind(LayerKind.LAYER_KIND_TOOLKIT).addOn(bad)));
    assertEquals("on[0]", failed.detail().getField());
    Files.delete(decoy);
    assertEquals("", figures().getFailure());
  }

  private SharedLayers figures() {
    return node.rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getSharedLayers();
  }

  @Test
  void shouldListADamagedNameAsSuchAndRefuseToUseIt() throws IOException {
    importing(busybox("whole"));
    share("whole");
    Path bad = shared.resolve("environments/bad:v1");
    Files.copy(shared.resolve("environments/whole:latest"), bad);
    Environment listed =
        node
            .rpc()
            .unary(EnvironmentsGrpcClient.List, ListEnvironmentsRequest.getDefaultInstance())
            .getEnvironmentsList()
            .stream()
            .filter(one -> one.getName().equals("bad"))
            .findFirst()
            .orElseThrow();
    assertEquals("v1", listed.getTag());
    assertTrue(listed.getShared() && listed.getDamaged().contains("whole:latest"));
    Failed failed = refused(GrpcStatus.FAILED_PRECONDITION, () -> get("bad:v1"));
    assertTrue(String.valueOf(failed.getMessage()).contains("bad:v1"), failed.getMessage());
    unshare("bad:v1");
    assertFalse(Files.exists(bad));
  }

  private void share(String reference) {
    node.rpc()
        .unary(
            EnvironmentsGrpcClient.Share,
            ShareEnvironmentRequest.newBuilder().setReference(reference).build());
  }
}
