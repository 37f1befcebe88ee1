// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.RawPeer.Frame;
import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.gateway.relay.RelaySettings;
import dev.sandgate.proto.v1.RunExecRequest;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients may and may not do with frames. */
@ExtendWith(Leaks.class)
final class FramesTest {

  private static final int PROTOCOL_ERROR = 1;
  private static final int FLOW_CONTROL_ERROR = 3;
  private static final int STREAM_CLOSED = 5;
  private static final int FRAME_SIZE_ERROR = 6;
  private static final String RUN = "/sandgate.v1.Execs/Run";
  private static final String INTERACT = "/sandgate.v1.Execs/Interact";
  private static final byte[] MESSAGE =
      RawPeer.grpc(RunExecRequest.newBuilder().setSandboxId("sb-n1-abc").build());

  private static Vertx vertx;
  private static TestNode node;
  private static Gateway gateway;

  @BeforeAll
  static void start() {
    vertx = TestGateway.vertx();
    node = TestNode.start(vertx, "n1");
    gateway = TestGateway.start(vertx, node.address());
  }

  @AfterAll
  static void stop() {
    gateway.close();
    node.close();
    Await.result(vertx.close());
  }

  private static void assertServes(RawPeer peer, int id) {
    peer.call(id, RUN, false);
    peer.frame(RawPeer.DATA, RawPeer.END_STREAM, id, MESSAGE);
    Frame end =
        peer.await(f -> f.type() == RawPeer.HEADERS && f.id() == id && f.has(RawPeer.END_STREAM));
    assertEquals("0", end.header("grpc-status"), end.toString());
  }

  static Stream<Arguments> violations() {
    return Stream.of(
        violation(
            "data on an idle stream",
            PROTOCOL_ERROR,
            peer -> peer.frame(RawPeer.DATA, 0, 1, new byte[1])),
        violation(
            "a window update on an idle stream", PROTOCOL_ERROR, peer -> peer.windowUpdate(1, 1)),
        violation(
            "a reset of an idle stream",
            PROTOCOL_ERROR,
            peer -> peer.frame(RawPeer.RST_STREAM, 0, 1, RawPeer.number(8))),
        violation("a stream of the server's", PROTOCOL_ERROR, peer -> peer.call(2, RUN, true)),
        violation(
            "data on stream 0",
            PROTOCOL_ERROR,
            peer -> peer.frame(RawPeer.DATA, 0, 0, new byte[1])),
        violation("a zero increment", PROTOCOL_ERROR, peer -> peer.windowUpdate(0, 0)),
        violation(
            "a window overflow",
            FLOW_CONTROL_ERROR,
            peer -> peer.windowUpdate(0, Integer.MAX_VALUE)),
        violation(
            "an initial window that is too large",
            FLOW_CONTROL_ERROR,
            peer -> peer.settings(4, -1)),
        violation(
            "a frame that is too long",
            FRAME_SIZE_ERROR,
            peer -> peer.frame(RawPeer.PING, 0, 0, new byte[20_000])),
        violation(
            "a ping of the wrong size",
            FRAME_SIZE_ERROR,
            peer -> peer.frame(RawPeer.PING, 0, 0, new byte[7])),
        violation(
            "a continuation of nothing", PROTOCOL_ERROR, peer -> peer.frame(9, 4, 1, new byte[1])),
        violation("a push", PROTOCOL_ERROR, peer -> peer.frame(5, 4, 1, RawPeer.number(2))),
        violation(
            "more padding than there is",
            PROTOCOL_ERROR,
            peer -> {
              peer.call(1, RUN, false);
              peer.frame(RawPeer.DATA, RawPeer.PADDED, 1, (byte) 9, (byte) 0);
            }));
  }

  private static Arguments violation(String what, int code, Consumer<RawPeer> act) {
    return Arguments.of(what, code, act);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("violations")
  void shouldEndAConnectionThatBreaksTheProtocolAndNoOther(
      String what, int code, Consumer<RawPeer> act) {
    try (RawPeer good = RawPeer.client(gateway.port());
        RawPeer bad = RawPeer.client(gateway.port())) {
      assertServes(good, 1);
      act.accept(bad);
      assertEquals(code, bad.await(RawPeer.GOAWAY, 0).number(4), what);
      bad.awaitClosed();
      assertServes(good, 3);
    }
  }

  @Test
  void shouldEndAConnectionWhosePrefaceIsWrong() {
    try (RawPeer peer = RawPeer.connect(gateway.port())) {
      peer.awaitSettings();
    }
    try (RawPeer peer = RawPeer.raw(gateway.port())) {
      peer.bytes("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertEquals(PROTOCOL_ERROR, peer.await(RawPeer.GOAWAY, 0).number(4));
      peer.awaitClosed();
    }
  }

  @Test
  void shouldRequireSettingsFirst() {
    try (RawPeer peer = RawPeer.connect(gateway.port())) {
      peer.call(1, RUN, true);
      assertEquals(PROTOCOL_ERROR, peer.await(RawPeer.GOAWAY, 0).number(4));
      peer.awaitClosed();
    }
  }

  @Test
  void shouldUnderstandFramesThatArriveByteByByte() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.dribble();
      assertServes(peer, 1);
    }
  }

  @Test
  void shouldAnswerPingsAndEndFloodsOfThem() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.frame(RawPeer.PING, 0, 0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
      Frame answer = peer.await(RawPeer.PING, 0);
      assertTrue(answer.has(RawPeer.ACK));
      assertEquals(0x01020304, answer.number(0));
      byte[] pings = new byte[17 * 100_000];
      for (int at = 0; at < pings.length; at += 17) {
        pings[at + 2] = 8;
        pings[at + 3] = RawPeer.PING;
      }
      peer.bytesQuietly(pings);
      peer.awaitClosed();
    }
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      assertServes(peer, 1);
    }
  }

  @Test
  void shouldResetAStreamThatSendsAfterItsEnd() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, INTERACT, false);
      peer.frame(RawPeer.DATA, 0, 1, MESSAGE);
      peer.await(RawPeer.HEADERS, 1);
      peer.settings(4, 0);
      peer.queue(RawPeer.DATA, RawPeer.END_STREAM, 1);
      peer.queue(RawPeer.DATA, 0, 1, new byte[1]);
      peer.flush();
      assertEquals(STREAM_CLOSED, peer.await(RawPeer.RST_STREAM, 1).number(0));
      peer.settings(4, 65_535);
      assertServes(peer, 3);
    }
  }

  @Test
  void shouldCreditPaddingAndRelayWhatIsBetween() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, INTERACT, false);
      peer.frame(RawPeer.DATA, 0, 1, MESSAGE);
      // 800 frames of 200 bytes of padding are more than twice the stream's window.
      byte[] padded = new byte[201];
      padded[0] = (byte) 200;
      int credited = 65_535;
      for (int i = 0; i < 800; i++) {
        while (credited < 201) {
          credited += peer.await(RawPeer.WINDOW_UPDATE, 1).number(0);
        }
        peer.frame(RawPeer.DATA, RawPeer.PADDED, 1, padded);
        credited -= 201;
      }
      peer.frame(RawPeer.DATA, RawPeer.END_STREAM, 1);
      Frame end = peer.await(f -> f.type() == RawPeer.HEADERS && f.has(RawPeer.END_STREAM));
      assertEquals("0", end.header("grpc-status"));
    }
  }

  @Test
  void shouldResetTheNodesStreamsOfAClientThatVanishes() {
    int began = node.began.get();
    int resets = node.resets.get();
    RawPeer peer = RawPeer.client(gateway.port());
    for (int id = 1; id < 40; id += 2) {
      peer.call(id, INTERACT, false);
      peer.frame(RawPeer.DATA, 0, id, MESSAGE);
    }
    Await.until("the node has them", () -> node.began.get() >= began + 20);
    peer.close();
    Await.until("the node sees them go", () -> node.resets.get() >= resets + 20);
  }

  private static Gateway impatient(NodeAddress address) {
    RelaySettings usual = TestGateway.relay();
    RelaySettings relay =
        new RelaySettings(
            usual.connectionsPerNode(),
            usual.streamsPerConnection(),
            usual.creditBytes(),
            usual.pendingPerConnection(),
            usual.pendingPerLoop(),
            usual.firstMessage(),
            usual.connect(),
            Duration.ofMillis(600),
            usual.patience());
    return TestGateway.start(vertx, TestGateway.config(0, relay, Duration.ofMillis(200), address));
  }

  @Test
  void shouldGiveUpAClientThatFellSilentAndResetItsStreams() {
    int began = node.began.get();
    int resets = node.resets.get();
    try (Gateway impatient = impatient(node.address());
        RawPeer peer = RawPeer.client(impatient.port())) {
      peer.call(1, INTERACT, false);
      peer.frame(RawPeer.DATA, 0, 1, MESSAGE);
      Await.until("the node has it", () -> node.began.get() > began);
      peer.await(f -> f.type() == RawPeer.PING && !f.has(RawPeer.ACK));
      peer.awaitClosed();
      Await.until("the node sees it go", () -> node.resets.get() > resets);
    }
  }

  @Test
  void shouldKeepAClientThatAnswersPings() {
    try (Gateway impatient = impatient(node.address());
        RawPeer peer = RawPeer.client(impatient.port())) {
      for (int i = 0; i < 3; i++) {
        Frame ping = peer.await(f -> f.type() == RawPeer.PING && !f.has(RawPeer.ACK));
        peer.frame(RawPeer.PING, RawPeer.ACK, 0, ping.payload().toByteArray());
      }
      assertServes(peer, 1);
    }
  }

  @Test
  void shouldGiveUpItsOwnConnectionToANodeThatFellSilent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Gateway impatient =
            impatient(new NodeAddress("n2", "127.0.0.1", silent.getLocalPort(), "token"));
        RawPeer first = RawPeer.accept(silent)) {
      assertTrue(impatient.port() > 0);
      first.awaitClosed();
      RawPeer.accept(silent).close();
    }
  }

  @Test
  void shouldNameTheLimitWhenItEndsAConnectionForItsMetadata() {
    byte[] start = {0, 1, 'x', 0x7f, (byte) 0xc1, (byte) 0x99, 0x0c};
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.awaitSettings();
      peer.frame(RawPeer.HEADERS, 0, 1, java.util.Arrays.copyOf(start, 16_000));
      for (int i = 0; i < 11; i++) {
        byte[] part = new byte[16_000];
        java.util.Arrays.fill(part, (byte) 'a');
        peer.bytesQuietly(new byte[] {0, 0x3e, (byte) 0x80, 9, 0, 0, 0, 0, 1});
        peer.bytesQuietly(part);
      }
      Frame end = peer.await(RawPeer.GOAWAY, 0);
      assertEquals(PROTOCOL_ERROR, end.number(4));
      String why = end.payload().substring(8).toStringUtf8();
      assertTrue(why.contains("metadata") && why.contains("16384"), why);
    }
  }
}
