// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.ListNodesResponse;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.NodesGrpcClient;
import io.vertx.core.Future;

/** Asks nodes about themselves: for callers, and every few seconds for the choice among nodes. */
final class NodeWatch {

  private static final long QUICK_MILLIS = 2_000;

  private final Fleet fleet;

  NodeWatch(Fleet fleet) {
    this.fleet = fleet;
  }

  /** Every node, those that do not answer too. */
  Future<ListNodesResponse> list(ListNodesRequest request, Caller caller) {
    return Fleet.askAll(
            fleet.all(), NodesGrpcClient.List, _ -> request, new Fleet.Asking(caller, QUICK_MILLIS))
        .map(
            answers -> {
              ListNodesResponse.Builder all = ListNodesResponse.newBuilder();
              answers.forEach(answer -> all.addNodes(heard(answer)));
              return all.build();
            });
  }

  private static Node heard(Fleet.Answer<ListNodesResponse> answer) {
    Fleet.Member member = answer.member();
    if (!answer.succeeded() || answer.value().getFirst().getNodesCount() != 1) {
      member.silent();
      return Node.newBuilder().setNodeId(member.nodeId()).build();
    }
    Node node =
        answer.value().getFirst().getNodes(0).toBuilder()
            .setNodeId(member.nodeId())
            .setReachable(true)
            .build();
    member.heard(node);
    return node;
  }

  /** Hears what every node has to say, for the choice among them. */
  Future<?> refresh() {
    return list(ListNodesRequest.getDefaultInstance(), Caller.NOBODY);
  }
}
