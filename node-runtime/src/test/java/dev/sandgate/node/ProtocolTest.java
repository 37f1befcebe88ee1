// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.grpc.common.GrpcStatus;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Credentials, deadlines, malformed and oversized calls. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProtocolTest {

  private TestNode node;
  private HttpClient http;

  @BeforeAll
  void begin() {
    node = TestNode.start();
    http =
        node.vertx()
            .createHttpClient(
                new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false));
  }

  @AfterAll
  void end() {
    node.close();
  }

  /** Sends raw bytes as the body of a call and gives the gRPC status. */
  private GrpcStatus raw(Buffer body, boolean end) throws Exception {
    HttpClientRequest request =
        http.request(
                HttpMethod.POST, node.node().port(), "127.0.0.1", "/sandgate.v1.Sandboxes/Create")
            .await(10, TimeUnit.SECONDS);
    request.putHeader("content-type", "application/grpc");
    request.putHeader("authorization", "Bearer " + TestNode.TOKEN);
    if (end) {
      request.end(body).await(10, TimeUnit.SECONDS);
    } else {
      request.setChunked(true);
      request.write(body).await(10, TimeUnit.SECONDS);
    }
    HttpClientResponse response = request.response().await(10, TimeUnit.SECONDS);
    String status = response.getHeader("grpc-status");
    if (status == null) {
      response.end().await(10, TimeUnit.SECONDS);
      status = response.getTrailer("grpc-status");
    }
    request.reset();
    return assertNotNullStatus(GrpcStatus.valueOf(Integer.parseInt(status)));
  }

  private static GrpcStatus assertNotNullStatus(GrpcStatus status) {
    assertNotNull(status);
    return status;
  }

  private static Buffer message(int compressed, long length, String payload) {
    return Buffer.buffer()
        .appendByte((byte) compressed)
        .appendInt((int) length)
        .appendString(payload);
  }

  @Test
  void shouldRefuseMissingAndWrongCredentials() {
    for (String token : new String[] {"", "wrong", TestNode.TOKEN + "x"}) {
      Failed failed =
          assertThrows(
              Failed.class,
              () ->
                  node.rpc(token)
                      .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance()));
      assertEquals(GrpcStatus.UNAUTHENTICATED, failed.status());
      assertEquals(106, failed.detail().getNumber());
    }
  }

  @Test
  void shouldShowItsBackendsWithWhatTheyCanDo() {
    Node shown =
        node.rpc().unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance()).getNodes(0);
    assertEquals("n1", shown.getNodeId());
    var memory =
        shown.getBackendsList().stream()
            .filter(b -> b.getName().equals("memory"))
            .findFirst()
            .orElseThrow();
    assertTrue(memory.getAvailable());
    assertTrue(memory.getCapabilitiesList().contains("FILES"));
    assertEquals("memory", memory.getFindings(0).getSubject());
  }

  @Test
  void shouldEndACallAtItsDeadlineAndSayWhy() {
    String sandbox = node.create().getSandboxId();
    Failed failed =
        assertThrows(
            Failed.class,
            () ->
                node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, "", "sleep", "30"), 200)
                    .rest());
    assertEquals(GrpcStatus.DEADLINE_EXCEEDED, failed.status());
    assertEquals("DEADLINE_EXCEEDED", failed.detail().getCode());
  }

  @Test
  void shouldRefuseMessagesOverFourMegabytes() {
    Failed failed =
        assertThrows(
            Failed.class,
            () ->
                node.rpc()
                    .unary(
                        ExecsGrpcClient.Run,
                        RunExecRequest.newBuilder()
                            .setStdin(ByteString.copyFrom(new byte[5 << 20]))
                            .setCommand(Command.newBuilder().addArgv("cat"))
                            .build()));
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, failed.status());
  }

  @Test
  void shouldNotBelieveADeclaredLength() throws Exception {
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, raw(message(0, 0xFFFFFFFFL, "x"), false));
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, raw(message(0, (4 << 20) + 1, "x"), false));
  }

  @Test
  void shouldRefuseCompressedMessages() throws Exception {
    assertEquals(GrpcStatus.UNIMPLEMENTED, raw(message(1, 3, "abc"), true));
  }

  @Test
  void shouldRefuseWhatIsNoMessageOfTheMethod() throws Exception {
    assertEquals(GrpcStatus.INVALID_ARGUMENT, raw(message(0, 3, "\u0007\u0007\u0007"), true));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, raw(Buffer.buffer(), true));
  }

  @Test
  void shouldRefuseUnknownMethods() {
    var unknown =
        io.vertx.grpc.common.ServiceMethod.client(
            io.vertx.grpc.common.ServiceName.create("sandgate.v1", "Sandboxes"),
            "Vanish",
            SandboxesGrpcClient.Get.encoder(),
            SandboxesGrpcClient.Get.decoder());
    Failed failed =
        assertThrows(
            Failed.class,
            () ->
                node.rpc()
                    .unary(unknown, dev.sandgate.proto.v1.GetSandboxRequest.getDefaultInstance()));
    assertEquals(GrpcStatus.UNIMPLEMENTED, failed.status());
  }
}
