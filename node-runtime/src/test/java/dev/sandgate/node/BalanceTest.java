// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.TestNode.request;
import static dev.sandgate.node.support.TestNode.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Termination.Reason;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import org.junit.jupiter.api.Test;

/** What is begun ends: nothing is left of sandboxes, however their making or their life goes wrong. */
class BalanceTest {

  private static final int ROUNDS = 200;

  private static dev.sandgate.proto.v1.Node counters(TestNode node) {
    return node.rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0);
  }

  private static void round(TestNode node, int number) {
    CreateSandboxRequest.Builder create = request().setSpec(spec().setLifetimeMillis(60_000));
    switch (number % 5) {
      case 0 -> {
        node.host().faults().fail(Point.CREATE, ErrorCode.INTERNAL, 1);
        refused(node, create);
      }
      case 1 -> {
        node.host().faults().fail(Point.CREATED, ErrorCode.BACKEND_UNAVAILABLE, 1);
        refused(node, create);
      }
      case 2 -> {
        node.host().faults().hang(Point.CREATED);
        refused(node, create.setTimeoutMillis(5));
        node.host().faults().clear(Point.CREATED);
      }
      case 3 -> {
        String id = node.rpc().unary(SandboxesGrpcClient.Create, create.build()).getSandboxId();
        node.host().kill(id, Reason.CHANNEL_LOST);
      }
      default -> {
        String id = node.rpc().unary(SandboxesGrpcClient.Create, create.build()).getSandboxId();
        node.rpc()
            .unary(
                SandboxesGrpcClient.Delete,
                DeleteSandboxRequest.newBuilder().setSandboxId(id).build());
      }
    }
  }

  private static void refused(TestNode node, CreateSandboxRequest.Builder create) {
    assertThrows(Failed.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, create.build()));
  }

  @Test
  void shouldBalanceWhatBeginsAndWhatEndsWhateverGoesWrong() {
    try (TestNode node = TestNode.start()) {
      for (int i = 0; i < ROUNDS; i++) {
        round(node, i);
      }
      Eventually.holds("nothing is left", () -> node.host().sandboxIds().isEmpty());
      dev.sandgate.proto.v1.Node balanced =
          Eventually.value(
              "nothing lives", () -> counters(node), found -> found.getSandboxes() == 0);
      assertEquals(ROUNDS, balanced.getSandboxesBegun());
      assertEquals(ROUNDS, balanced.getSandboxesEnded());
    }
  }
}
