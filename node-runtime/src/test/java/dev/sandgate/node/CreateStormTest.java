// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.Latency;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.tck.fake.Faults.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Far more create calls at once than a node has room for. */
class CreateStormTest {

  private static final int CALLS = 5_000;
  private static final int ROOM = 50;
  private static final Duration MAKING = Duration.ofSeconds(2);

  private final List<String> made = new ArrayList<>();
  private int refused;

  private void take(Answers<?, Sandbox> call) {
    try {
      Sandbox sandbox = call.only();
      assertEquals(SandboxState.SANDBOX_STATE_RUNNING, sandbox.getState());
      made.add(sandbox.getSandboxId());
    } catch (Failed failed) {
      assertEquals(ErrorCode.RESOURCE_EXHAUSTED.name(), failed.detail().getCode());
      assertTrue(failed.detail().getRetryAfterMillis() > 0, failed::toString);
      refused++;
    }
  }

  private static Latency latency(TestNode node, String operation) {
    return node
        .rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getLatenciesList()
        .stream()
        .filter(latency -> latency.getOperation().equals(operation))
        .findFirst()
        .orElseThrow();
  }

  /** None waits for a sandbox that is being made; one of a hundred may wait for a processor that others have. */
  private static void assertAtOnce(Latency told) {
    assertTrue(told.getP99Micros() < 100_000, told::toString);
    assertTrue(told.getMaxMicros() < MAKING.toNanos() / 1_000, told::toString);
  }

  private void storm(TestNode node) {
    List<Answers<?, Sandbox>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(node.rpc().stream(SandboxesGrpcClient.Create, TestNode.request().build()));
    }
    calls.forEach(this::take);
  }

  @Test
  void shouldMakeWhatThereIsRoomForAndRefuseTheOthersAtOnce() {
    Capacity small = new Capacity(ROOM, 10, 10, 1 << 20, Duration.ofMinutes(10));
    try (TestNode node = TestNode.start(config -> TestNode.with(config, small))) {
      node.host().faults().delay(Point.CREATE, MAKING);
      storm(node);
      assertEquals(ROOM, made.size());
      assertEquals(CALLS - ROOM, refused);
      assertEquals(ROOM, node.host().sandboxIds().size());
      Latency told = latency(node, "create_refused");
      assertEquals(CALLS - ROOM, told.getCount());
      assertAtOnce(told);
      for (String id : made) {
        DeleteSandboxRequest delete = DeleteSandboxRequest.newBuilder().setSandboxId(id).build();
        assertTrue(node.rpc().unary(SandboxesGrpcClient.Delete, delete).getExisted());
      }
      assertEquals(0, node.host().sandboxIds().size());
      node.create();
    }
  }

  @Test
  void shouldRefuseAtOnceAlsoWhileOthersWaitToBeMade() {
    Capacity small = new Capacity(2 * 64, 10, 10, 1 << 20, Duration.ofMinutes(10));
    try (TestNode node = TestNode.start(config -> TestNode.with(config, small))) {
      node.host().faults().delay(Point.CREATE, MAKING);
      storm(node);
      assertEquals(2 * 64, made.size());
      Latency told = latency(node, "create_refused");
      assertEquals(CALLS - 2 * 64, told.getCount());
      assertAtOnce(told);
    }
  }
}
