// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.FakeServices;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.proto.v1.FunctionsGrpcClient;
import dev.sandgate.proto.v1.FunctionsGrpcService;
import dev.sandgate.proto.v1.InvokeBatchItem;
import dev.sandgate.proto.v1.InvokeBatchRequest;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.proto.v1.InvokeResponse;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Function calls find a node, and one of the same id always the same. */
final class FunctionRoutesTest {

  private Vertx vertx;
  private TestNode one;
  private TestNode two;
  private Gateway gateway;
  private TestClient client;
  private final AtomicInteger asked = new AtomicInteger();

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    one = TestNode.start(vertx, "n1");
    two = TestNode.start(vertx, "n2");
    serve(one);
    serve(two);
    gateway = TestGateway.start(vertx, one.address(), two.address());
    client = TestClient.of(vertx, gateway);
  }

  private void serve(TestNode node) {
    FakeServices.on(node).backend = "fncall";
    node.grpc()
        .callHandler(
            FunctionsGrpcService.Invoke,
            request ->
                request.handler(
                    message -> {
                      asked.incrementAndGet();
                      request
                          .response()
                          .end(
                              InvokeResponse.newBuilder()
                                  .setInvocationId(message.getInvocationId())
                                  .setNodeId(node.address().nodeId())
                                  .build());
                    }));
  }

  @AfterEach
  void stop() {
    client.close();
    gateway.close();
    one.close();
    two.close();
    Await.result(vertx.close());
  }

  private InvokeResponse invoke(String id) {
    Outcome<InvokeResponse> outcome =
        client.call(
            FunctionsGrpcClient.Invoke, InvokeRequest.newBuilder().setInvocationId(id).build());
    assertEquals(GrpcStatus.OK, outcome.status(), outcome.message());
    return outcome.answers().get(0);
  }

  @Test
  void shouldAskTheSameNodeForTheSameIdAndSpreadOthers() {
    Set<String> nodes = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      String first = invoke("id-" + i).getNodeId();
      assertEquals(first, invoke("id-" + i).getNodeId());
      nodes.add(first);
    }
    assertEquals(Set.of("n1", "n2"), nodes);
  }

  @Test
  void shouldAnswerEachItemOfABatchOnce() {
    InvokeBatchRequest.Builder batch = InvokeBatchRequest.newBuilder();
    for (int i = 0; i < 300; i++) {
      batch.addItems(InvokeRequest.newBuilder().setInvocationId("b-" + i));
    }
    Outcome<InvokeBatchItem> outcome = client.call(FunctionsGrpcClient.InvokeBatch, batch.build());
    assertEquals(GrpcStatus.OK, outcome.status(), outcome.message());
    Set<Integer> seen = new HashSet<>();
    for (InvokeBatchItem item : outcome.answers()) {
      assertTrue(seen.add(item.getIndex()));
      assertEquals("b-" + item.getIndex(), item.getResponse().getInvocationId());
    }
    assertEquals(300, seen.size());
    assertEquals(300, asked.get());
    Outcome<InvokeBatchItem> none =
        client.call(FunctionsGrpcClient.InvokeBatch, InvokeBatchRequest.getDefaultInstance());
    assertEquals(GrpcStatus.INVALID_ARGUMENT, none.status());
  }
}
