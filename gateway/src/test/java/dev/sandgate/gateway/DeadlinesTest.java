// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.RawPeer.Frame;
import dev.sandgate.gateway.relay.RelaySettings;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom the gateway does not wait for. */
@ExtendWith(Leaks.class)
final class DeadlinesTest {

  private static final String RUN = "/sandgate.v1.Execs/Run";
  private static final String INTERACT = "/sandgate.v1.Execs/Interact";
  private static final String CREATE = "/sandgate.v1.Sandboxes/Create";
  private static final String IMPORT = "/sandgate.v1.Environments/ImportEnvironment";
  private static final byte[] MESSAGE = RawPeer.grpc(run(0));
  private static final int CONNECTIONS = 6;

  private static Vertx vertx;
  private static TestNode node;
  private static Gateway gateway;

  @BeforeAll
  static void start() {
    vertx = TestGateway.vertx();
    node = TestNode.start(vertx, "n1");
    FakeServices.on(node);
    gateway = Gateway.start(vertx, config(Duration.ofMillis(500)));
  }

  @AfterAll
  static void stop() {
    gateway.close();
    node.close();
    Await.result(vertx.close());
  }

  private static RunExecRequest run(int stdin) {
    return RunExecRequest.newBuilder()
        .setSandboxId("sb-n1-abc")
        .setStdin(com.google.protobuf.ByteString.copyFrom(new byte[stdin]))
        .build();
  }

  private static GatewayConfig config(Duration keepAlive) {
    RelaySettings relay =
        new RelaySettings(
            2,
            1_000,
            16 << 10,
            8 << 20,
            64 << 20,
            Duration.ofMillis(700),
            Duration.ofSeconds(10),
            keepAlive,
            new RelaySettings.Patience(
                Duration.ofMillis(400), Duration.ofMillis(900), Duration.ofMillis(700)));
    GatewayConfig.Limits limits =
        new GatewayConfig.Limits(
            CONNECTIONS, Duration.ofMinutes(1), Duration.ofSeconds(5), Duration.ofMillis(200));
    return new GatewayConfig(
        "127.0.0.1",
        0,
        2,
        List.of(node.address()),
        Map.of("test", TestGateway.sha256(TestGateway.KEY)),
        relay,
        limits);
  }

  private static void assertServes(RawPeer peer, int id) {
    peer.call(id, RUN, false);
    peer.frame(RawPeer.DATA, RawPeer.END_STREAM, id, MESSAGE);
    assertEquals("0", ended(peer, id).header("grpc-status"));
  }

  private static Frame ended(RawPeer peer, int id) {
    return peer.await(
        f -> f.type() == RawPeer.HEADERS && f.id() == id && f.has(RawPeer.END_STREAM));
  }

  private static void pong(RawPeer peer, Frame ping) {
    if (ping.type() == RawPeer.PING && !ping.has(RawPeer.ACK)) {
      peer.frame(RawPeer.PING, RawPeer.ACK, 0, ping.payload().toByteArray());
    }
  }

  static Stream<Arguments> stalls() {
    String[] noKey = {
      ":method", "POST", ":scheme", "http", ":path", RUN, "content-type", "application/grpc"
    };
    return Stream.of(
        stall("nothing", _ -> {}),
        stall("two bytes of the preface", peer -> peer.bytes(preface(2))),
        stall("half a preface", peer -> peer.bytes(preface(12))),
        stall("no settings", peer -> peer.bytes(preface(24))),
        stall("half a frame of settings", peer -> peer.bytes(settings(7))),
        stall("settings only", peer -> peer.bytes(settings(9))),
        stall(
            "headers without end",
            peer -> {
              peer.bytes(settings(9));
              peer.frame(RawPeer.HEADERS, 0, 1, (byte) 0x82);
            }),
        stall(
            "a call without a key",
            peer -> {
              peer.bytes(settings(9));
              peer.headers(1, false, noKey);
            }));
  }

  private static Arguments stall(String what, Consumer<RawPeer> act) {
    return Arguments.of(what, act);
  }

  private static byte[] preface(int bytes) {
    byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    return Arrays.copyOf(preface, bytes);
  }

  private static byte[] settings(int bytes) {
    byte[] all = Arrays.copyOf(preface(24), 24 + bytes);
    if (bytes > 3) {
      all[27] = RawPeer.SETTINGS;
    }
    return all;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("stalls")
  void shouldCloseAConnectionThatStallsBeforeItsFirstCall(String what, Consumer<RawPeer> act) {
    try (Gateway calm = Gateway.start(vertx, config(Duration.ofMinutes(1)));
        RawPeer peer = RawPeer.raw(calm.port())) {
      long begun = System.nanoTime();
      act.accept(peer);
      peer.awaitClosed();
      long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      assertTrue(tookMillis < 10_000, what + ": " + tookMillis);
    }
  }

  @Test
  void shouldCloseAConnectionThatAnswersPingsButMakesNoCall() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      Frame last = peer.next();
      while (last.type() != RawPeer.GOAWAY) {
        pong(peer, last);
        last = peer.next();
      }
      String why = last.payload().substring(8).toStringUtf8();
      assertTrue(why.contains("API key"), why);
      peer.awaitClosed();
    }
  }

  @Test
  void shouldKeepAConnectionThatMadeACallAndAnswersPings() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      assertServes(peer, 1);
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3_000);
      while (System.nanoTime() < end) {
        pong(peer, peer.next());
      }
      assertServes(peer, 3);
    }
  }

  @Test
  void shouldCloseAConnectionWhoseHeadersComeDropByDrop() {
    try (Gateway calm = Gateway.start(vertx, config(Duration.ofMinutes(1)));
        RawPeer peer = RawPeer.client(calm.port())) {
      assertServes(peer, 1);
      peer.bytes(new byte[] {0, 0x10, 0, RawPeer.HEADERS, 0, 0, 0, 0, 3});
      Thread dropping = Thread.ofVirtual().start(() -> drop(peer));
      Frame last = peer.await(RawPeer.GOAWAY, 0);
      assertTrue(last.payload().substring(8).toStringUtf8().contains("frame"), last.toString());
      peer.awaitClosed();
      dropping.interrupt();
    }
  }

  private static void drop(RawPeer peer) {
    for (int i = 0; i < 200 && !Thread.currentThread().isInterrupted(); i++) {
      peer.bytesQuietly(new byte[1]);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {RUN, INTERACT, CREATE, IMPORT})
  void shouldEndAStreamWhoseFirstMessageDoesNotCome(String path) {
    byte[] whole =
        path.equals(CREATE) || path.equals(IMPORT)
            ? RawPeer.grpc(
                CreateSandboxRequest.newBuilder()
                    .setSpec(SandboxSpec.newBuilder().setEnvironment("busybox"))
                    .build())
            : RawPeer.grpc(run(100));
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      int id = 1;
      for (int bytes : new int[] {0, 3, 5, whole.length - 1}) {
        peer.call(id, path, false);
        peer.frame(RawPeer.DATA, 0, id, Arrays.copyOf(whole, bytes));
        Frame end = next(peer, id);
        assertEquals("4", end.header("grpc-status"), path + " with " + bytes + ": " + end);
        id += 2;
      }
      assertServes(peer, id);
    }
  }

  private static Frame next(RawPeer peer, int id) {
    Frame frame = peer.next();
    while (!(frame.type() == RawPeer.HEADERS
        && frame.id() == id
        && frame.has(RawPeer.END_STREAM))) {
      pong(peer, frame);
      frame = peer.next();
    }
    return frame;
  }

  @Test
  void shouldEndAStreamThatSendsItsOneMessageAndDoesNotEnd() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, CREATE, false);
      peer.frame(RawPeer.DATA, 0, 1, RawPeer.grpc(CreateSandboxRequest.getDefaultInstance()));
      assertEquals("4", next(peer, 1).header("grpc-status"));
    }
  }

  @Test
  void shouldWaitForAFirstMessageThatComesSlowly() {
    byte[] whole = RawPeer.grpc(run(8_000));
    try (Gateway calm = Gateway.start(vertx, config(Duration.ofMinutes(1)));
        RawPeer peer = RawPeer.client(calm.port())) {
      peer.call(1, RUN, false);
      for (int at = 0; at < whole.length; at += 1_000) {
        int to = Math.min(whole.length, at + 1_000);
        peer.frame(
            RawPeer.DATA,
            to == whole.length ? RawPeer.END_STREAM : 0,
            1,
            Arrays.copyOfRange(whole, at, to));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
      assertEquals("0", ended(peer, 1).header("grpc-status"));
    }
  }

  @Test
  void shouldSayOnceThatTheConnectionsAreUsedUpAndTakeOthersWhenTheyAreGivenUp() {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    PrintStream before = System.err;
    List<RawPeer> peers = new ArrayList<>();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try (Gateway full = Gateway.start(vertx, config(Duration.ofMinutes(1)))) {
      for (int i = 0; i < 30; i++) {
        peers.add(RawPeer.raw(full.port()));
      }
      peers.forEach(RawPeer::awaitClosed);
      Await.until("there is room again", () -> serves(full));
    } finally {
      System.setErr(before);
      peers.forEach(RawPeer::close);
    }
    String said = log.toString(StandardCharsets.UTF_8);
    long lines = said.lines().filter(line -> line.contains("limit of 6 connections")).count();
    assertEquals(1, lines, said);
  }

  private static boolean serves(Gateway gateway) {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      assertServes(peer, 1);
      return true;
    } catch (java.io.UncheckedIOException e) {
      return false;
    }
  }
}
