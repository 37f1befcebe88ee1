// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.SandboxPool;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.tck.Eventually;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What callers of a node see of its pool. Needs root. */
@Tag("root")
class ContainerPoolTest {

  private static ContainerNode node(String min, String max) {
    return ContainerNode.configured(
        config ->
            TestNode.with(
                TestNode.with(config, "backend.container.pool.min", min),
                "backend.container.pool.max",
                max));
  }

  private static SandboxPool pool(ContainerNode node) {
    return node
        .rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getBackendsList()
        .stream()
        .filter(backend -> backend.getName().equals("container"))
        .findFirst()
        .orElseThrow()
        .getSandboxPool();
  }

  private static CreateSandboxRequest request(long poolWait) {
    return CreateSandboxRequest.newBuilder()
        .setSpec(SandboxSpec.newBuilder().setEnvironment("busybox"))
        .setPoolWaitMillis(poolWait)
        .build();
  }

  private static String create(ContainerNode node, long poolWait) {
    return node.rpc().unary(SandboxesGrpcClient.Create, request(poolWait)).getSandboxId();
  }

  private static void delete(ContainerNode node, String id) {
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete, DeleteSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  @Test
  void shouldTellWhatItsPoolDid() {
    try (ContainerNode node = node("2", "2")) {
      SandboxPool full =
          Eventually.value(
              "the pool is full",
              Duration.ofSeconds(60),
              () -> pool(node),
              pool -> pool.getAvailable() == 2 && pool.getMaking() == 0);
      assertEquals(2, full.getMade());
      assertEquals(2, full.getWanted());
      assertTrue(full.getMemoryBytes() > 0, full::toString);
      String id = create(node, 60_000);
      SandboxPool after = pool(node);
      assertEquals(1, after.getHits());
      assertEquals(0, after.getMisses());
      assertTrue(after.getActivationP50Micros() > 0, after::toString);
      assertTrue(after.getActivationP99Micros() >= after.getActivationP50Micros(), after::toString);
      delete(node, id);
    }
  }

  @Test
  void shouldRefuseWithPoolExhaustedWhoWantsWhatIsNotThere() {
    try (ContainerNode node = node("0", "0")) {
      Rpc.Failed refused = assertThrows(Rpc.Failed.class, () -> create(node, 1));
      assertEquals("POOL_EXHAUSTED", refused.detail().getCode());
      delete(node, create(node, 0));
    }
  }

  @Test
  void shouldRefuseToWaitForThePoolOfABackendThatHasNone() {
    try (TestNode node = TestNode.start()) {
      CreateSandboxRequest request = TestNode.request().setPoolWaitMillis(10).build();
      Rpc.Failed refused =
          assertThrows(
              Rpc.Failed.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, request));
      assertEquals("UNSUPPORTED", refused.detail().getCode());
      assertEquals("pool_wait_millis", refused.detail().getField());
    }
  }
}
