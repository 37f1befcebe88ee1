// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.RunExecRequest;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that the gateway itself refuses: each has its status and a detail that says what to do. */
@ExtendWith(Leaks.class)
final class RefusalTest {

  private static Vertx vertx;
  private static TestNode node;
  private static Gateway gateway;
  private static TestClient client;

  @BeforeAll
  static void start() throws IOException {
    vertx = TestGateway.vertx();
    node = TestNode.start(vertx, "n1");
    gateway =
        TestGateway.start(
            vertx, node.address(), new NodeAddress("gone", "127.0.0.1", freePort(), "token"));
    client = TestClient.of(vertx, gateway);
  }

  @AfterAll
  static void stop() {
    client.close();
    gateway.close();
    node.close();
    Await.result(vertx.close());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Outcome<ExecResult> run(TestClient caller, String sandbox) {
    return caller.call(
        ExecsGrpcClient.Run, RunExecRequest.newBuilder().setSandboxId(sandbox).build());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Basic " + TestGateway.KEY,
        TestGateway.KEY
      })
  void shouldRefuseACallWithoutTheRightKey(String authorization) {
    int began = node.began.get();
    try (TestClient stranger = TestClient.of(vertx, gateway, authorization)) {
      Outcome<ExecResult> refused = run(stranger, "sb-n1-abc");
      assertEquals(GrpcStatus.UNAUTHENTICATED, refused.status());
      assertEquals(106, refused.detail().getNumber());
      assertEquals("UNAUTHENTICATED", refused.detail().getCode());
      assertTrue(refused.message().contains("authorization"), refused.message());
    }
    assertEquals(began, node.began.get());
  }

  @Test
  void shouldTakeTheSchemeInAnyCase() {
    try (TestClient caller = TestClient.of(vertx, gateway, "bearer " + TestGateway.KEY)) {
      assertEquals(GrpcStatus.OK, run(caller, "sb-n1-abc").status());
      assertEquals(GrpcStatus.OK, run(caller, "sb-n1-abc").status());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sb",
        "sb-",
        "sb-n1",
        "sb-n1-",
        "sb--abc",
        "SB-n1-abc",
        "sb-N1-abc",
        "sb-n1-a.b",
        "x-n1-abc",
        "sb-n1-a/../b",
        "sb-aaaaaaaaaaaaaaaaaaaaa-b"
      })
  void shouldRefuseAnIdThatIsNone(String id) {
    Outcome<ExecResult> refused = run(client, id);
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertEquals(101, refused.detail().getNumber());
    assertEquals("sandbox_id", refused.detail().getField());
  }

  @Test
  void shouldRefuseAnIdThatIsTooLong() {
    Outcome<ExecResult> refused = run(client, "sb-n1-" + "a".repeat(300));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertEquals("sandbox_id", refused.detail().getField());
  }

  @Test
  void shouldNotFindANodeThatDoesNotExist() {
    Outcome<ExecResult> refused = run(client, "sb-n9-abc");
    assertEquals(GrpcStatus.NOT_FOUND, refused.status());
    assertEquals(102, refused.detail().getNumber());
    assertEquals("n9", refused.detail().getNodeId());
  }

  @Test
  void shouldSayQuicklyThatANodeIsUnreachable() {
    for (int i = 0; i < 20; i++) {
      long begun = System.nanoTime();
      Outcome<ExecResult> refused = run(client, "sb-gone-abc");
      assertEquals(GrpcStatus.UNAVAILABLE, refused.status());
      assertEquals("NODE_UNREACHABLE", refused.detail().getCode());
      assertEquals("gone", refused.detail().getNodeId());
      assertTrue(refused.detail().getRetryAfterMillis() > 0);
      assertTrue(System.nanoTime() - begun < Duration.ofSeconds(2).toNanos());
    }
  }

  @Test
  void shouldRefuseWhatIsNotGrpc() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.headers(
          1, true, ":method", "GET", ":scheme", "http", ":path", "/healthz", ":authority", "x");
      assertEquals("415", peer.await(RawPeer.HEADERS, 1).header(":status"));
    }
  }

  @Test
  void shouldRefuseACompressedFirstMessage() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, "/sandgate.v1.Execs/Run", false, "grpc-encoding", "gzip");
      peer.frame(RawPeer.DATA, RawPeer.END_STREAM, 1, new byte[] {1, 0, 0, 0, 3, 1, 2, 3});
      assertEquals("12", peer.await(RawPeer.HEADERS, 1).header("grpc-status"));
    }
  }

  @Test
  void shouldRefuseACallThatNamesNoSandbox() {
    byte[] without = RunExecRequest.newBuilder().setExecId("e").build().toByteArray();
    byte[][] streams = {
      RawPeer.grpc(without), RawPeer.grpc(new byte[0]), {0, 0, 0}, {}, {0, -1, -1, -1, -1, 7, 7}
    };
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      int id = 1;
      for (byte[] stream : streams) {
        peer.call(id, "/sandgate.v1.Execs/Run", false);
        peer.frame(RawPeer.DATA, RawPeer.END_STREAM, id, stream);
        RawPeer.Frame refused = peer.await(RawPeer.HEADERS, id);
        assertEquals("3", refused.header("grpc-status"));
        assertEquals(
            "sandbox_id", TestClient.detail(refused.header("grpc-status-details-bin")).getField());
        id += 2;
      }
      peer.call(id, "/sandgate.v1.Execs/Run", true);
      assertEquals("3", peer.await(RawPeer.HEADERS, id).header("grpc-status"));
    }
  }

  @Test
  void shouldStopSearchingForTheIdAfterSixtyFourKibibytes() {
    byte[] field = RunExecRequest.newBuilder().setExecId("e".repeat(70_000)).build().toByteArray();
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, "/sandgate.v1.Execs/Run", false);
      byte[] start = java.util.Arrays.copyOf(RawPeer.grpc(field), 16_000);
      peer.frame(RawPeer.DATA, 0, 1, start);
      assertEquals("3", peer.await(RawPeer.HEADERS, 1).header("grpc-status"));
    }
  }

  @Test
  void shouldEndAStreamThatNeverNamesItsSandbox() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, "/sandgate.v1.Execs/Interact", false);
      peer.frame(RawPeer.DATA, 0, 1, (byte) 0, (byte) 0, (byte) 0);
      RawPeer.Frame refused = peer.await(RawPeer.HEADERS, 1);
      assertEquals("4", refused.header("grpc-status"));
      assertEquals(0, peer.await(RawPeer.RST_STREAM, 1).number(0));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/sandgate.v1.Execs/Nope",
        "/sandgate.v1.Nope/Run",
        "/sandgate.v1.Sandboxes/",
        "/grpc.health.v1.Health/Check",
        "/",
        "Run"
      })
  void shouldSayThatAMethodDoesNotExist(String path) {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      for (int id = 1; id < 5; id += 2) {
        peer.call(id, path, id == 1);
        RawPeer.Frame refused = peer.await(RawPeer.HEADERS, id);
        assertEquals("12", refused.header("grpc-status"), refused.toString());
        assertTrue(refused.header("grpc-message").contains(path), refused.toString());
        assertEquals(
            "UNSUPPORTED", TestClient.detail(refused.header("grpc-status-details-bin")).getCode());
      }
    }
  }
}
