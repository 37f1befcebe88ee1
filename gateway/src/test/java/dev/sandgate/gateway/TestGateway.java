// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.gateway.relay.RelaySettings;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Gateways for tests, which know one key. */
public final class TestGateway {

  /** The key that opens them. */
  public static final String KEY = "test-key-0123456789abcdef";

  /** What nodes want to see. */
  public static final String TOKEN = "node-token";

  private TestGateway() {}

  /** Event loops like the product's. */
  public static Vertx vertx() {
    return Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(4));
  }

  /** A gateway on a free port, impatient. */
  public static Gateway start(Vertx vertx, NodeAddress... nodes) {
    return start(vertx, config(0, relay(), Duration.ofMillis(200), nodes));
  }

  /** A gateway with its own configuration. */
  public static Gateway start(Vertx vertx, GatewayConfig config) {
    return Gateway.start(vertx, config);
  }

  /** A configuration of two loops. */
  public static GatewayConfig config(
      int port, RelaySettings relay, Duration drain, NodeAddress... nodes) {
    GatewayConfig.Limits limits =
        new GatewayConfig.Limits(1_000, Duration.ofSeconds(2), Duration.ofSeconds(5), drain);
    return new GatewayConfig(
        "127.0.0.1", port, 2, List.of(nodes), Map.of("test", sha256(KEY)), relay, limits);
  }

  /** Default limits with short times. */
  public static RelaySettings relay() {
    return relay(16, 8 << 20);
  }

  /** Limits with short times. */
  public static RelaySettings relay(int connectionsPerNode, long pendingPerConnection) {
    return new RelaySettings(
        connectionsPerNode,
        100_000,
        16 << 10,
        pendingPerConnection,
        64 << 20,
        Duration.ofMillis(1_500),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        RelaySettings.Patience.defaults());
  }

  /** The hash of a key. */
  public static String sha256(String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
