// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StdinChunk;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of a real gRPC client through a gateway to a real gRPC server. */
@ExtendWith(Leaks.class)
final class RelayTest {

  private static final String SANDBOX = "sb-n1-abc123";

  private static Vertx vertx;
  private static TestNode node;
  private static Gateway gateway;
  private static TestClient client;

  @BeforeAll
  static void start() {
    vertx = TestGateway.vertx();
    node = TestNode.start(vertx, "n1");
    gateway = TestGateway.start(vertx, node.address());
    client = TestClient.of(vertx, gateway);
  }

  @AfterAll
  static void stop() {
    client.close();
    gateway.close();
    node.close();
    Await.result(vertx.close());
  }

  private static RunExecRequest run(String sandbox, String exec, String stdin) {
    return RunExecRequest.newBuilder()
        .setSandboxId(sandbox)
        .setExecId(exec)
        .setStdin(ByteString.copyFromUtf8(stdin))
        .build();
  }

  private static StartExecRequest flood(long bytes) {
    return StartExecRequest.newBuilder()
        .setSandboxId(SANDBOX)
        .setCommand(Command.newBuilder().addArgv(Long.toString(bytes)))
        .build();
  }

  @Test
  void shouldRelayUnaryCallsWithTheNodesTokenInsteadOfTheKey() {
    TestClient.Outcome<ExecResult> outcome =
        client.call(ExecsGrpcClient.Run, run(SANDBOX, "e", "hello"));
    assertEquals(GrpcStatus.OK, outcome.status());
    assertEquals("hello", outcome.answers().getFirst().getStdout().toStringUtf8());
    assertEquals("n1", outcome.answers().getFirst().getExecId());
    assertEquals(0, node.strangers.get());
  }

  @Test
  void shouldPassOnAFailureOfTheNodeAsItIs() {
    GrpcClientResponse<RunExecRequest, ExecResult> response =
        Await.result(
            client
                .request(ExecsGrpcClient.Run)
                .compose(
                    request -> {
                      request.end(run(SANDBOX, "fail", ""));
                      return request
                          .response()
                          .compose(
                              answer ->
                                  answer.end().transform(_ -> Future.succeededFuture(answer)));
                    }));
    assertEquals(GrpcStatus.ABORTED, response.status());
    assertEquals("sandbox lost: ü", response.statusMessage());
    String details = response.trailers().get("grpc-status-details-bin");
    String inHeaders = response.headers().get("grpc-status-details-bin");
    assertEquals("AAECAw", details == null ? inHeaders : details);
  }

  @Test
  void shouldRelayLargeMetadataAndRefuseTooLargeOnesAlone() {
    Future<Long> large =
        client
            .request(ExecsGrpcClient.Run)
            .compose(
                request -> {
                  request.headers().set("x-large", "m".repeat(12 << 10));
                  request.end(run(SANDBOX, "e", ""));
                  return request.response().compose(response -> response.last());
                })
            .map(ExecResult::getStdoutBytes);
    assertEquals(12 << 10, Await.result(large));
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, "/sandgate.v1.Execs/Run", true, "x-large", "m".repeat(20 << 10));
      RawPeer.Frame refused = peer.await(RawPeer.HEADERS, 1);
      assertEquals("3", refused.header("grpc-status"));
      assertTrue(refused.header("grpc-message").contains("16 KiB"), refused.toString());
      peer.call(3, "/sandgate.v1.Execs/Run", false);
      peer.frame(RawPeer.DATA, RawPeer.END_STREAM, 3, RawPeer.grpc(run(SANDBOX, "e", "")));
      assertEquals("0", endOf(peer, 3).header("grpc-status"));
    }
  }

  private static RawPeer.Frame endOf(RawPeer peer, int id) {
    return peer.await(
        frame ->
            frame.type() == RawPeer.HEADERS && frame.id() == id && frame.has(RawPeer.END_STREAM));
  }

  @Test
  void shouldEchoMessagesOfManyStreamsByteForByte() {
    List<Future<Integer>> streams = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      streams.add(echo(i, 300));
    }
    Await.result(Future.all(streams));
    for (Future<Integer> stream : streams) {
      assertEquals(300, stream.result());
    }
  }

  // Sends messages of random sizes and counts those that come back right and in order.
  private static Future<Integer> echo(int seed, int messages) {
    Random sizes = new Random(seed);
    List<ByteString> sent = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      byte[] bytes = new byte[sizes.nextInt(i % 50 == 0 ? 40_000 : 200)];
      sizes.nextBytes(bytes);
      sent.add(ByteString.copyFrom(bytes));
    }
    return client
        .request(ExecsGrpcClient.Interact)
        .compose(
            request -> {
              send(request, sent, 0);
              return request.response().compose(TestClient::collected);
            })
        .map(outcome -> rightOnes(outcome, sent));
  }

  private static void send(
      GrpcClientRequest<InteractRequest, ExecEvent> request, List<ByteString> messages, int from) {
    for (int i = from; i < messages.size(); i++) {
      StdinChunk chunk = StdinChunk.newBuilder().setOffset(i).setData(messages.get(i)).build();
      InteractRequest.Builder message = InteractRequest.newBuilder().setStdin(chunk);
      request.write((i == 0 ? message.setSandboxId(SANDBOX) : message).build());
      if (request.writeQueueFull()) {
        int next = i + 1;
        request.drainHandler(_ -> send(request, messages, next));
        return;
      }
    }
    request.end();
  }

  private static int rightOnes(TestClient.Outcome<ExecEvent> outcome, List<ByteString> sent) {
    assertEquals(GrpcStatus.OK, outcome.status());
    assertEquals(sent.size() + 2, outcome.answers().size());
    int right = 0;
    for (int i = 0; i < sent.size(); i++) {
      ExecEvent event = outcome.answers().get(i + 1);
      if (event.getOutput().getOffset() == i && event.getOutput().getData().equals(sent.get(i))) {
        right++;
      }
    }
    return right;
  }

  @Test
  void shouldRelayAHundredMegabytesUnchanged() {
    long bytes = 100_000_000;
    long[] seen = {0};
    Future<GrpcStatus> done =
        client
            .request(ExecsGrpcClient.Start)
            .compose(
                request -> {
                  request.end(flood(bytes));
                  return request
                      .response()
                      .compose(
                          response -> {
                            response.handler(
                                event -> {
                                  byte[] data = event.getOutput().getData().toByteArray();
                                  assertArrayEquals(TestNode.pattern(seen[0], data.length), data);
                                  seen[0] += data.length;
                                });
                            return response.end().map(_ -> response.status());
                          });
                });
    assertEquals(GrpcStatus.OK, Await.result(done));
    assertEquals(bytes, seen[0]);
  }

  @Test
  void shouldBlockOnlyTheProducerWhoseReaderStopped() {
    long before = node.flooded.get();
    Future<GrpcClientRequest<StartExecRequest, ExecEvent>> stopping =
        client.request(ExecsGrpcClient.Start);
    GrpcClientResponse<StartExecRequest, ExecEvent> stopped =
        Await.result(
            stopping.compose(
                request -> {
                  request.end(flood(1L << 40));
                  return request.response().map(response -> response.pause());
                }));
    for (int i = 0; i < 20; i++) {
      assertEquals(200, Await.result(echo(i, 200)));
    }
    long produced = node.flooded.get() - before;
    assertTrue(produced < 8 << 20, "the producer went on: " + produced);
    int resets = node.resets.get();
    stopped.resume();
    Await.until("the producer goes on", () -> node.flooded.get() - before > produced + (1 << 20));
    Await.result(stopping).cancel();
    Await.until("the node sees the cancellation", () -> node.resets.get() > resets);
  }

  @Test
  void shouldCancelOnTheNodeWhenTheClientCancels() {
    int began = node.began.get();
    int resets = node.resets.get();
    GrpcClientRequest<RunExecRequest, ExecResult> request =
        Await.result(client.request(ExecsGrpcClient.Run));
    request.write(run(SANDBOX, "hang", "x".repeat(100)));
    Await.until("the node has the call", () -> node.began.get() > began);
    request.cancel();
    Await.until("the node sees the cancellation", () -> node.resets.get() > resets);
  }

  @Test
  void shouldFindTheSandboxIdBehindOtherFields() {
    RunExecRequest request = run(SANDBOX, "e", "s".repeat(30_000));
    byte[] whole = request.toByteArray();
    int idBytes = 2 + SANDBOX.length();
    byte[] turned = new byte[whole.length];
    System.arraycopy(whole, idBytes, turned, 0, whole.length - idBytes);
    System.arraycopy(whole, 0, turned, whole.length - idBytes, idBytes);
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, "/sandgate.v1.Execs/Run", false);
      for (byte[] part : parts(RawPeer.grpc(turned), 7_001)) {
        peer.frame(RawPeer.DATA, 0, 1, part);
      }
      peer.frame(RawPeer.DATA, RawPeer.END_STREAM, 1);
      RawPeer.Frame end = endOf(peer, 1);
      assertEquals("0", end.header("grpc-status"), end.toString());
    }
  }

  static List<byte[]> parts(byte[] bytes, int size) {
    List<byte[]> parts = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += size) {
      parts.add(java.util.Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size)));
    }
    return parts;
  }

  @Test
  void shouldSpeakHttp1OnTheSamePort() throws Exception {
    for (String path :
        List.of("/healthz 200 ok", "/version 200 development", "/else 404 not found")) {
      String[] expected = path.split(" ", 3);
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
        socket.setSoTimeout(10_000);
        String request = "GET " + expected[0] + " HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        for (byte b : request.getBytes(StandardCharsets.US_ASCII)) {
          socket.getOutputStream().write(b);
        }
        String answer =
            new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertTrue(answer.startsWith("HTTP/1.1 " + expected[1]), answer);
        assertTrue(answer.endsWith(expected[2] + "\n"), answer);
      }
    }
  }
}
