// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gateways and nodes that come and go. */
@ExtendWith(Leaks.class)
final class LifecycleTest {

  private Vertx vertx;
  private TestNode node;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    node = TestNode.start(vertx, "n1");
  }

  @AfterEach
  void stop() {
    node.close();
    Await.result(vertx.close());
  }

  private static Outcome<ExecResult> run(TestClient client) {
    return client.call(
        ExecsGrpcClient.Run, RunExecRequest.newBuilder().setSandboxId("sb-n1-abc").build());
  }

  private static Future<Outcome<ExecEvent>> interact(TestClient client) {
    return client
        .request(ExecsGrpcClient.Interact)
        .compose(
            (GrpcClientRequest<InteractRequest, ExecEvent> request) -> {
              request.write(InteractRequest.newBuilder().setSandboxId("sb-n1-abc").build());
              return request.response().compose(TestClient::collected);
            });
  }

  private GatewayConfig config(int port, Duration drain) {
    return TestGateway.config(port, TestGateway.relay(), drain, node.address());
  }

  @Test
  void shouldServeAgainOnTheSamePortAfterARestart() {
    int port;
    try (Gateway first = Gateway.start(vertx, config(0, Duration.ZERO));
        TestClient client = TestClient.of(vertx, first)) {
      port = first.port();
      assertEquals(GrpcStatus.OK, run(client).status());
    }
    try (Gateway second = Gateway.start(vertx, config(port, Duration.ZERO));
        TestClient client = TestClient.of(vertx, second)) {
      assertEquals(port, second.port());
      assertEquals(GrpcStatus.OK, run(client).status());
    }
  }

  @Test
  void shouldEndStreamsWithUnavailableWhenTheTimeToDrainIsOver() {
    Gateway gateway = Gateway.start(vertx, config(0, Duration.ofMillis(100)));
    try (TestClient client = TestClient.of(vertx, gateway)) {
      int began = node.began.get();
      Future<Outcome<ExecEvent>> running = interact(client);
      Await.until("it runs", () -> node.began.get() > began);
      gateway.close();
      Outcome<ExecEvent> ended = Await.result(running);
      assertEquals(GrpcStatus.UNAVAILABLE, ended.status());
    }
  }

  @Test
  void shouldNotWaitForStreamsWhenItIsHurried() {
    Gateway gateway = Gateway.start(vertx, config(0, Duration.ofMinutes(10)));
    try (TestClient client = TestClient.of(vertx, gateway)) {
      int began = node.began.get();
      Future<Outcome<ExecEvent>> running = interact(client);
      Await.until("it runs", () -> node.began.get() > began);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(gateway::close);
      gateway.hurry();
      assertEquals(GrpcStatus.UNAVAILABLE, Await.result(running).status());
      closing.join();
    }
  }

  @Test
  void shouldLetStreamsEndWhileItDrains() {
    Gateway gateway = Gateway.start(vertx, config(0, Duration.ofSeconds(20)));
    try (RawPeer client = RawPeer.client(gateway.port())) {
      client.call(1, "/sandgate.v1.Execs/Interact", false);
      client.frame(
          RawPeer.DATA,
          0,
          1,
          RawPeer.grpc(InteractRequest.newBuilder().setSandboxId("sb-n1-abc").build()));
      client.await(RawPeer.DATA, 1);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(gateway::close);
      assertEquals(1, client.await(RawPeer.GOAWAY, 0).number(0));
      client.frame(RawPeer.DATA, RawPeer.END_STREAM, 1);
      RawPeer.Frame end =
          client.await(f -> f.type() == RawPeer.HEADERS && f.has(RawPeer.END_STREAM));
      assertEquals("0", end.header("grpc-status"));
      client.awaitClosed();
      closing.join();
    }
  }

  @Test
  void shouldEndStreamsWithUnavailableWhenTheNodeIsKilledAndServeAgainWhenItIsBack()
      throws IOException {
    try (Gateway gateway = Gateway.start(vertx, config(0, Duration.ZERO));
        TestClient client = TestClient.of(vertx, gateway)) {
      int began = node.began.get();
      Future<Outcome<ExecEvent>> running = interact(client);
      Await.until("it runs", () -> node.began.get() > began);
      NodeAddress address = node.address();
      node.kill();
      Outcome<ExecEvent> ended = Await.result(running);
      assertEquals(GrpcStatus.UNAVAILABLE, ended.status());
      assertEquals("NODE_UNREACHABLE", ended.detail().getCode());
      assertEquals("n1", ended.detail().getNodeId());
      node = TestNode.start(vertx, "n1", address.port());
      Await.until("it serves again", () -> run(client).status() == GrpcStatus.OK);
    }
  }

  @Test
  void shouldSayWhatIsWrongWithAConfiguration() {
    GatewayConfig good = config(0, Duration.ZERO);
    assertRefused("port", () -> GatewayConfig.of("127.0.0.1", 70_000, 1, List.of(), Map.of()));
    assertRefused("host", () -> GatewayConfig.of(" ", 0, 1, List.of(), Map.of()));
    assertRefused("loops", () -> GatewayConfig.of("127.0.0.1", 0, 0, List.of(), Map.of()));
    assertRefused(
        "apiKeys", () -> GatewayConfig.of("127.0.0.1", 0, 1, List.of(), Map.of("k", "plain")));
    assertRefused("nodes", () -> new NodeAddress("N1", "127.0.0.1", 1, ""));
    assertRefused(
        "nodes",
        () ->
            GatewayConfig.of(
                "127.0.0.1",
                0,
                1,
                List.of(good.nodes().getFirst(), good.nodes().getFirst()),
                Map.of()));
    assertRefused(
        "loops",
        () -> Gateway.start(vertx, GatewayConfig.of("127.0.0.1", 0, 200, List.of(), Map.of())));
  }

  private static void assertRefused(String key, org.junit.jupiter.api.function.Executable act) {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, act);
    assertTrue(String.valueOf(refused.getMessage()).startsWith(key), refused.getMessage());
  }

  @Test
  void shouldFailToStartOnATakenPortAndLeaveNothing() {
    try (Gateway gateway = Gateway.start(vertx, config(0, Duration.ZERO))) {
      Exception failure =
          assertThrows(
              Exception.class, () -> Gateway.start(vertx, config(gateway.port(), Duration.ZERO)));
      assertTrue(String.valueOf(failure.getMessage()).contains("in use"), failure.toString());
    }
  }
}
