// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.GatewayConfig;
import dev.sandgate.gateway.relay.NodeAddress;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The real gateway as it ships, one event loop and one node, in a process whose CPU time can be read. */
final class GatewayProcess {

  static final String NODE = "n1";
  static final String KEY = "key-of-the-load-client";

  private static final String NODE_TOKEN = "token-of-the-echo-backend";

  private GatewayProcess() {}

  /** Serves until it is killed: port to listen on, port of the backend. */
  public static void main(String[] ports) {
    int port = Integer.parseInt(ports[0]);
    NodeAddress backend =
        new NodeAddress(NODE, "127.0.0.1", Integer.parseInt(ports[1]), NODE_TOKEN);
    VertxOptions options =
        new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1);
    Gateway gateway =
        Gateway.start(
            Vertx.vertx(options),
            GatewayConfig.of("127.0.0.1", port, 1, List.of(backend), Map.of("load", sha256(KEY))));
    System.out.println("ready on " + gateway.port());
  }

  private static String sha256(String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }
}
