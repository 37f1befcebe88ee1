// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.gateway.relay.RelaySettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Everything a gateway is told at its start. A wrong value is an {@link IllegalArgumentException} that names it.
 *
 * @param host the address to listen on
 * @param port where to listen, 0 for any free port
 * @param loops how many of Vert.x's event loops to use
 * @param nodes the nodes behind it
 * @param apiKeys by name, the SHA-256 of each key in hexadecimal
 * @param relay limits and times of the relay
 * @param limits limits and times of the rest
 */
public record GatewayConfig(
    String host,
    int port,
    int loops,
    List<NodeAddress> nodes,
    Map<String, String> apiKeys,
    RelaySettings relay,
    Limits limits) {

  /** The name under which the gateway knows itself. */
  static final String OWN_ID = "gateway";

  private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");

  /**
   * Limits and times of what is not the relay.
   *
   * @param connections how many client connections are accepted at once
   * @param idle how long an HTTP/1.1 connection may be silent
   * @param call how long a node may take to answer one of the gateway's own calls, unless a request says otherwise
   * @param drain how long streams may go on when the gateway closes
   */
  public record Limits(int connections, Duration idle, Duration call, Duration drain) {

    /** Checks every range. */
    public Limits {
      if (connections < 1 || connections > 1_000_000) {
        throw wrong("limits.connections", connections, "1 to 1000000");
      }
      if (idle.toMillis() < 10 || idle.toHours() > 24) {
        throw wrong("limits.idle", idle, "10 ms to 24 h");
      }
      if (call.toMillis() < 10 || call.toHours() > 1) {
        throw wrong("limits.call", call, "10 ms to 1 h");
      }
      if (drain.isNegative() || drain.toHours() > 1) {
        throw wrong("limits.drain", drain, "0 to 1 h");
      }
    }

    /** 10,000 connections, a minute of silence, 10 seconds for a call, 30 to drain. */
    public static Limits defaults() {
      return new Limits(
          10_000, Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofSeconds(30));
    }
  }

  /** Checks every part. */
  public GatewayConfig {
    nodes = List.copyOf(nodes);
    apiKeys = Map.copyOf(apiKeys);
    if (host.isBlank()) {
      throw new IllegalArgumentException("host: it is empty; 127.0.0.1 listens on loopback only");
    }
    if (port < 0 || port > 65_535) {
      throw wrong("port", port, "0 to 65535");
    }
    if (loops < 1 || loops > 256) {
      throw wrong("loops", loops, "1 to 256");
    }
    requireDistinct(nodes);
    apiKeys.forEach(GatewayConfig::requireHash);
  }

  /** A configuration with default limits and times. */
  public static GatewayConfig of(
      String host, int port, int loops, List<NodeAddress> nodes, Map<String, String> apiKeys) {
    return new GatewayConfig(
        host, port, loops, nodes, apiKeys, RelaySettings.defaults(), Limits.defaults());
  }

  private static void requireDistinct(List<NodeAddress> nodes) {
    Set<String> ids = new HashSet<>(Set.of(OWN_ID));
    for (NodeAddress node : nodes) {
      if (!ids.add(node.nodeId())) {
        throw new IllegalArgumentException(
            "nodes: the node id '" + node.nodeId() + "' is reserved or given twice");
      }
    }
  }

  private static void requireHash(String name, String hash) {
    if (!SHA_256.matcher(hash).matches()) {
      throw new IllegalArgumentException(
          "apiKeys: the value of '" + name + "' is not a SHA-256 in hexadecimal");
    }
  }

  private static IllegalArgumentException wrong(String key, Object value, String range) {
    return new IllegalArgumentException(key + ": " + value + " is not within " + range);
  }
}
