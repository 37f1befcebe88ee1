// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.FakeServices;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.GatewayConfig;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.MuteNode;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.gateway.relay.RelaySettings;
import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxBatchItem;
import dev.sandgate.proto.v1.DeleteSandboxBatchRequest;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.RunExecBatchItem;
import dev.sandgate.proto.v1.RunExecBatchRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.TrajectoriesGrpcClient;
import dev.sandgate.proto.v1.TrajectoryPage;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that takes connections and then says nothing: no call waits for it longer than it should. */
@ExtendWith(Leaks.class)
final class MuteNodeTest {

  private static final String ON_MUTE = "sb-mute-aaaaaaaaaaaaaaaaaaaa";
  private static final Duration BOUND = Duration.ofSeconds(10);
  private static final int MOST_CONNECTIONS = 8;

  private Vertx vertx;
  private TestNode node;
  private FakeServices services;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    node = TestNode.start(vertx, "n1");
    services = FakeServices.on(node);
  }

  @AfterEach
  void stop() {
    node.close();
    Await.result(vertx.close());
  }

  private static MuteNode mute(boolean greets) {
    return greets ? MuteNode.greeting("mute") : MuteNode.silent("mute");
  }

  private Gateway gateway(MuteNode mute) {
    RelaySettings usual = TestGateway.relay();
    RelaySettings impatient =
        new RelaySettings(
            usual.connectionsPerNode(),
            usual.streamsPerConnection(),
            usual.creditBytes(),
            usual.pendingPerConnection(),
            usual.pendingPerLoop(),
            usual.firstMessage(),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            usual.patience());
    GatewayConfig config =
        TestGateway.config(0, impatient, Duration.ZERO, node.address(), mute.address());
    return TestGateway.start(vertx, config);
  }

  private static <A> A within(Duration bound, Supplier<A> call) {
    long start = System.nanoTime();
    A result = call.get();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(bound) < 0, () -> "it took " + took);
    return result;
  }

  private static void assertUnreachable(ErrorDetail detail) {
    assertEquals("NODE_UNREACHABLE", detail.getCode(), detail::toString);
    assertEquals("mute", detail.getNodeId());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldFailARelayedCall(boolean greets) throws IOException {
    try (MuteNode mute = mute(greets);
        Gateway gateway = gateway(mute);
        TestClient client = TestClient.of(vertx, gateway)) {
      RunExecRequest run = RunExecRequest.newBuilder().setSandboxId(ON_MUTE).build();
      for (int i = 0; i < 2; i++) {
        Outcome<ExecResult> failed = within(BOUND, () -> client.call(ExecsGrpcClient.Run, run));
        assertEquals(GrpcStatus.UNAVAILABLE, failed.status(), failed.message());
        assertUnreachable(failed.detail());
        assertEquals(!greets, failed.detail().getNotSent());
      }
      assertTrue(mute.open() <= MOST_CONNECTIONS, () -> mute.open() + " connections");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldFailItemsOfBatches(boolean greets) throws IOException {
    try (MuteNode mute = mute(greets);
        Gateway gateway = gateway(mute);
        TestClient client = TestClient.of(vertx, gateway)) {
      RunExecBatchRequest run =
          RunExecBatchRequest.newBuilder()
              .addItems(RunExecRequest.newBuilder().setSandboxId(ON_MUTE))
              .build();
      List<RunExecBatchItem> ran =
          within(BOUND, () -> client.call(ExecsGrpcClient.RunBatch, run)).answers();
      assertUnreachable(ran.getFirst().getError());
      DeleteSandboxBatchRequest delete =
          DeleteSandboxBatchRequest.newBuilder().addSandboxIds(ON_MUTE).build();
      List<DeleteSandboxBatchItem> deleted =
          within(BOUND, () -> client.call(SandboxesGrpcClient.DeleteBatch, delete)).answers();
      assertUnreachable(deleted.getFirst().getError());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCreateElsewhereOrSayThatTheNodeOfAKeyIsUnreachable(boolean greets) throws IOException {
    try (MuteNode mute = mute(greets);
        Gateway gateway = gateway(mute);
        TestClient client = TestClient.of(vertx, gateway)) {
      SandboxSpec spec = SandboxSpec.newBuilder().setEnvironment("busybox").build();
      CreateSandboxBatchRequest batch =
          CreateSandboxBatchRequest.newBuilder().setSpec(spec).setCount(10).build();
      Outcome<CreateSandboxBatchItem> made =
          within(BOUND, () -> client.call(SandboxesGrpcClient.CreateBatch, batch));
      assertEquals(10, made.answers().size());
      int failed = 0;
      for (int i = 0; i < 4; i++) {
        CreateSandboxRequest request =
            CreateSandboxRequest.newBuilder().setSpec(spec).setIdempotencyKey("key-" + i).build();
        Outcome<Sandbox> one =
            within(BOUND, () -> client.call(SandboxesGrpcClient.Create, request));
        if (one.status() != GrpcStatus.OK) {
          assertUnreachable(one.detail());
          failed++;
        }
      }
      assertTrue(failed > 0, "no key leads to the mute node");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldListWhatTheOthersHave(boolean greets) throws IOException {
    try (MuteNode mute = mute(greets);
        Gateway gateway = gateway(mute);
        TestClient client = TestClient.of(vertx, gateway)) {
      services.sandboxes.add(Sandbox.newBuilder().setSandboxId("sb-n1-a").build());
      ListSandboxesResponse listed =
          within(
                  BOUND,
                  () ->
                      client.call(
                          SandboxesGrpcClient.List, ListSandboxesRequest.getDefaultInstance()))
              .answers()
              .getFirst();
      assertEquals(List.of("mute"), listed.getUnreachableNodesList());
      assertEquals(1, listed.getSandboxesCount());
      TrajectoryPage page =
          within(
                  BOUND,
                  () ->
                      client.call(
                          TrajectoriesGrpcClient.List, ListTrajectoryRequest.getDefaultInstance()))
              .answers()
              .getFirst();
      assertEquals(List.of("mute"), page.getUnreachableNodesList());
      assertEquals(
          2,
          within(
                  BOUND,
                  () -> client.call(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance()))
              .answers()
              .getFirst()
              .getNodesCount());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndAnImport(boolean greets) throws IOException {
    try (MuteNode mute = mute(greets);
        Gateway gateway = gateway(mute);
        TestClient client = TestClient.of(vertx, gateway)) {
      ImportEnvironmentRequest request =
          ImportEnvironmentRequest.newBuilder().setName("e").setBuiltin("busybox").build();
      Outcome<ImportProgress> ended =
          within(BOUND, () -> client.call(EnvironmentsGrpcClient.ImportEnvironment, request));
      assertEquals(GrpcStatus.UNAVAILABLE, ended.status(), ended.message());
      assertUnreachable(ended.detail());
    }
  }

  @Test
  void shouldCloseWhatItOpenedToANodeThatNeverBecomesReady() throws IOException {
    try (MuteNode mute = mute(false)) {
      try (Gateway gateway = gateway(mute);
          TestClient client = TestClient.of(vertx, gateway)) {
        for (int i = 0; i < 5; i++) {
          client.call(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance());
          assertTrue(mute.open() <= MOST_CONNECTIONS, () -> mute.open() + " connections");
        }
      }
      Await.until("every connection is closed", () -> mute.open() == 0);
    }
  }
}
