// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.FakeServices;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.RawPeer;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import io.vertx.core.Vertx;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the gateway's own methods say of messages that are none. */
@ExtendWith(Leaks.class)
final class MalformedTest {

  private static Vertx vertx;
  private static TestNode node;
  private static Gateway gateway;

  @BeforeAll
  static void start() {
    vertx = TestGateway.vertx();
    node = TestNode.start(vertx, "n1");
    FakeServices.on(node);
    gateway = TestGateway.start(vertx, node.address());
  }

  @AfterAll
  static void stop() {
    gateway.close();
    node.close();
    Await.result(vertx.close());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sandboxes/Create",
        "Sandboxes/CreateBatch",
        "Sandboxes/List",
        "Sandboxes/DeleteBatch",
        "Execs/RunBatch",
        "Nodes/List",
        "Trajectories/List",
        "Trajectories/Export",
        "Environments/ImportEnvironment",
        "Environments/List",
        "Environments/Get",
        "Environments/Remove"
      })
  void shouldRefuseAMessageThatIsNone(String method) {
    byte[] noise = new byte[300];
    Arrays.fill(noise, (byte) -1);
    byte[][] streams = {
      RawPeer.grpc(noise),
      RawPeer.grpc(new byte[] {0x0a, 50, 'x'}),
      {0, 0, 0, 0, 9, 0x0a, 1},
      {0, 0x20, 0, 0, 0},
      {1, 0, 0, 0, 2, -1, -1}
    };
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      int id = 1;
      for (byte[] stream : streams) {
        peer.call(id, "/sandgate.v1." + method, false);
        peer.frame(RawPeer.DATA, RawPeer.END_STREAM, id, stream);
        assertInvalid(peer, id);
        id += 2;
      }
    }
  }

  @Test
  void shouldRefuseTextThatIsNoUtf8() {
    try (RawPeer peer = RawPeer.client(gateway.port())) {
      peer.call(1, "/sandgate.v1.Environments/Get", false);
      byte[] text = {0x0a, 2, (byte) 0xc3, (byte) 0x28};
      peer.frame(RawPeer.DATA, RawPeer.END_STREAM, 1, RawPeer.grpc(text));
      assertInvalid(peer, 1);
    }
  }

  private static void assertInvalid(RawPeer peer, int id) {
    RawPeer.Frame end =
        peer.await(
            f -> f.id() == id && (f.has(RawPeer.END_STREAM) || f.type() == RawPeer.RST_STREAM));
    assertEquals("3", end.header("grpc-status"), end.toString());
    assertEquals("request", TestClient.detail(end.header("grpc-status-details-bin")).getField());
  }
}
