// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.RawPeer.Frame;
import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.proto.v1.RunExecRequest;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What nodes may do with frames, and what becomes of clients' streams; the node is played by hand. */
@ExtendWith(Leaks.class)
final class NodeFramesTest {

  private static final int MAX_CONCURRENT_STREAMS = 3;
  private static final int FLOW_CONTROL_ERROR = 3;
  private static final int REFUSED_STREAM = 7;
  private static final int CANCEL = 8;
  private static final String PATH = "/sandgate.v1.Execs/Interact";
  private static final byte[] MESSAGE =
      RawPeer.grpc(RunExecRequest.newBuilder().setSandboxId("sb-n1-abc").build());

  private Vertx vertx;
  private ServerSocket server;
  private Gateway gateway;

  @BeforeEach
  void start() throws IOException {
    vertx = TestGateway.vertx();
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    NodeAddress address =
        new NodeAddress("n1", "127.0.0.1", server.getLocalPort(), TestGateway.TOKEN);
    GatewayConfig config =
        TestGateway.config(0, TestGateway.relay(4, 1 << 20), Duration.ofMillis(100), address);
    GatewayConfig one =
        new GatewayConfig(
            config.host(), 0, 1, config.nodes(), config.apiKeys(), config.relay(), config.limits());
    gateway = TestGateway.start(vertx, one);
  }

  @AfterEach
  void stop() throws IOException {
    gateway.close();
    server.close();
    Await.result(vertx.close());
  }

  // The services watch the node too, over connections of their own: the relay's is known by its
  // settings.
  private RawPeer relayed(int... settings) {
    while (true) {
      RawPeer peer = RawPeer.accept(server, settings);
      byte[] theirs = peer.await(RawPeer.SETTINGS, 0).payload().toByteArray();
      if (theirs.length == 18) {
        return peer;
      }
    }
  }

  private static void open(RawPeer client, int id) {
    client.call(id, PATH, false);
    client.frame(RawPeer.DATA, 0, id, MESSAGE);
  }

  private static int opened(RawPeer node) {
    return node.await(frame -> frame.type() == RawPeer.HEADERS).id();
  }

  private static Frame end(RawPeer client, int id) {
    return client.await(
        f -> f.id() == id && f.type() == RawPeer.HEADERS && f.has(RawPeer.END_STREAM));
  }

  private static void assertUnreachable(Frame end) {
    assertEquals("14", end.header("grpc-status"), end.toString());
    var detail = TestClient.detail(end.header("grpc-status-details-bin"));
    assertEquals("NODE_UNREACHABLE", detail.getCode());
    assertEquals("n1", detail.getNodeId());
  }

  @Test
  void shouldPresentTheTokenAndTheMetadataToTheNode() {
    try (RawPeer client = RawPeer.client(gateway.port());
        RawPeer node = relayed()) {
      client.call(1, PATH, false, "x-job", "42", "te", "trailers");
      client.frame(RawPeer.DATA, RawPeer.END_STREAM, 1, MESSAGE);
      Frame request = node.await(frame -> frame.type() == RawPeer.HEADERS);
      assertEquals("Bearer " + TestGateway.TOKEN, request.header("authorization"));
      assertEquals("42", request.header("x-job"));
      assertEquals("trailers", request.header("te"));
      assertEquals(PATH, request.header(":path"));
      Frame data = node.await(RawPeer.DATA, request.id());
      assertArrayEquals(MESSAGE, data.payload().toByteArray());
      assertTrue(data.has(RawPeer.END_STREAM));
    }
  }

  @Test
  void shouldEndStreamsOfALostConnectionWithUnavailableWhetherTheyHadBegunOrNot() {
    try (RawPeer client = RawPeer.client(gateway.port())) {
      RawPeer node = relayed();
      open(client, 1);
      int first = opened(node);
      node.respond(first);
      node.frame(RawPeer.DATA, 0, first, RawPeer.grpc(new byte[10]));
      client.await(RawPeer.DATA, 1);
      open(client, 3);
      opened(node);
      node.close();
      Frame begun = end(client, 1);
      assertEquals("", begun.header(":status"));
      assertUnreachable(begun);
      Frame fresh = end(client, 3);
      assertEquals("200", fresh.header(":status"));
      assertUnreachable(fresh);
    }
  }

  @Test
  void shouldFailOnlyStreamsThatAGoawayDoesNotCoverAndConnectAnew() {
    try (RawPeer client = RawPeer.client(gateway.port());
        RawPeer node = relayed()) {
      open(client, 1);
      int first = opened(node);
      open(client, 3);
      opened(node);
      node.frame(
          RawPeer.GOAWAY,
          0,
          0,
          RawPeer.number(first)[0],
          RawPeer.number(first)[1],
          RawPeer.number(first)[2],
          RawPeer.number(first)[3],
          (byte) 0,
          (byte) 0,
          (byte) 0,
          (byte) 0);
      assertUnreachable(end(client, 3));
      try (RawPeer next = relayed()) {
        open(client, 5);
        int there = opened(next);
        next.headers(
            there, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0");
        assertEquals("0", end(client, 5).header("grpc-status"));
        node.headers(
            first, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "5");
        assertEquals("5", end(client, 1).header("grpc-status"));
        node.awaitClosed();
      }
    }
  }

  @Test
  void shouldNotBeginMoreStreamsThanANodeAllows() {
    try (RawPeer client = RawPeer.client(gateway.port());
        RawPeer node = relayed(MAX_CONCURRENT_STREAMS, 1)) {
      open(client, 1);
      int first = opened(node);
      open(client, 3);
      try (RawPeer second = relayed(MAX_CONCURRENT_STREAMS, 1)) {
        opened(second);
        node.headers(
            first, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0");
        assertEquals("0", end(client, 1).header("grpc-status"));
        open(client, 5);
        assertEquals(first + 2, opened(node));
      }
    }
  }

  @Test
  void shouldEndTheRequestWithoutAResetWhenTheNodeAnswersFirst() {
    try (RawPeer client = RawPeer.client(gateway.port());
        RawPeer node = relayed()) {
      open(client, 1);
      int id = opened(node);
      node.headers(
          id, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "9");
      Frame end =
          node.await(
              f -> f.id() == id && (f.type() == RawPeer.RST_STREAM || f.has(RawPeer.END_STREAM)));
      assertEquals(RawPeer.DATA, end.type());
      assertEquals("9", end(client, 1).header("grpc-status"));
      assertEquals(0, client.await(RawPeer.RST_STREAM, 1).number(0));
    }
  }

  @Test
  void shouldPassResetsOnInBothDirections() {
    try (RawPeer client = RawPeer.client(gateway.port());
        RawPeer node = relayed()) {
      open(client, 1);
      int first = opened(node);
      client.frame(RawPeer.RST_STREAM, 0, 1, RawPeer.number(CANCEL));
      assertEquals(CANCEL, node.await(RawPeer.RST_STREAM, first).number(0));
      open(client, 3);
      int second = opened(node);
      node.frame(RawPeer.RST_STREAM, 0, second, RawPeer.number(REFUSED_STREAM));
      assertEquals(REFUSED_STREAM, client.await(RawPeer.RST_STREAM, 3).number(0));
    }
  }

  @Test
  void shouldGrantAClientNoMoreThanTheNodeGrantsAndResetWhoeverSendsMore() {
    try (RawPeer client = RawPeer.client(gateway.port());
        RawPeer node = relayed()) {
      open(client, 1);
      opened(node);
      byte[] chunk = new byte[16_000];
      for (int sent = 0; sent < 3_000_000; sent += chunk.length) {
        client.queue(RawPeer.DATA, 0, 1, chunk);
      }
      client.flush();
      assertEquals(FLOW_CONTROL_ERROR, client.await(RawPeer.RST_STREAM, 1).number(0));
      open(client, 3);
      opened(node);
    }
  }

  @Test
  void shouldHoldNextToNothingForAClientWhoseWindowIsClosed() {
    try (RawPeer client = RawPeer.client(gateway.port(), 4, 0);
        RawPeer node = relayed()) {
      open(client, 1);
      int id = opened(node);
      node.respond(id);
      byte[] chunk = new byte[16_384];
      node.frame(RawPeer.DATA, 0, id, chunk);
      client.await(RawPeer.HEADERS, 1);
      client.frame(RawPeer.PING, 0, 0, new byte[8]);
      // The node has used up what it was told at the start; it is granted more only as the client
      // is.
      assertEquals(0, granted(node, id, client));
      client.windowUpdate(1, 10_000);
      assertEquals(10_000, received(client, 10_000));
      assertEquals(0, granted(node, id, client));
      client.windowUpdate(1, 16_384 - 10_000 + 12_000);
      assertEquals(6_384, received(client, 6_384));
      assertEquals(12_000, node.await(RawPeer.WINDOW_UPDATE, id).number(0));
    }
  }

  private static int received(RawPeer client, int wanted) {
    int bytes = 0;
    while (bytes < wanted) {
      bytes += client.await(RawPeer.DATA, 1).payload().size();
    }
    return bytes;
  }

  // What the node was granted on a stream by the time that pings have gone round.
  private static int granted(RawPeer node, int id, RawPeer client) {
    client.frame(RawPeer.PING, 0, 0, new byte[8]);
    client.await(f -> f.type() == RawPeer.PING && f.has(RawPeer.ACK));
    node.frame(RawPeer.PING, 0, 0, new byte[8]);
    int granted = 0;
    Frame frame = node.next();
    while (frame.type() != RawPeer.PING || !frame.has(RawPeer.ACK)) {
      granted += frame.type() == RawPeer.WINDOW_UPDATE && frame.id() == id ? frame.number(0) : 0;
      frame = node.next();
    }
    return granted;
  }

  @Test
  void shouldNotWaitForAClientThatStoppedReadingAndResetItsStreamsAtTheLimit() {
    try (RawPeer stopped = RawPeer.client(gateway.port(), 4, 1 << 30);
        RawPeer client = RawPeer.client(gateway.port());
        RawPeer node = relayed()) {
      stopped.windowUpdate(0, 1 << 30);
      int streams = 200;
      int[] ids = new int[streams];
      for (int i = 0; i < streams; i++) {
        open(stopped, 1 + 2 * i);
        ids[i] = opened(node);
        node.respond(ids[i]);
      }
      // More than all buffers between the two hold, one frame a stream, is more than may wait.
      Thread flood = Thread.ofVirtual().start(() -> flood(node, ids));
      for (int id = 1; id < 20; id += 2) {
        open(client, id);
        client.frame(RawPeer.RST_STREAM, 0, id, RawPeer.number(CANCEL));
        client.frame(RawPeer.PING, 0, 0, new byte[8]);
        client.await(f -> f.type() == RawPeer.PING && f.has(RawPeer.ACK));
      }
      node.await(f -> f.type() == RawPeer.RST_STREAM && f.id() <= ids[streams - 1]);
      flood.interrupt();
    }
  }

  private static void flood(RawPeer node, int[] ids) {
    byte[] chunk = new byte[16_384];
    try {
      for (int round = 0; round < 20 && !Thread.currentThread().isInterrupted(); round++) {
        for (int id : ids) {
          node.frame(RawPeer.DATA, 0, id, chunk);
        }
      }
    } catch (java.io.UncheckedIOException e) {
      // The connection was closed because more was sent than granted: that is an end as well.
      assertTrue(e.getCause() instanceof java.net.SocketException, e.toString());
    }
  }
}
