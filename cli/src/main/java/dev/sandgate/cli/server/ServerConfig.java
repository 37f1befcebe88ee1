// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.gateway.relay.NodeAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a server runs.
 *
 * @param data its directory, made when missing; one server each
 * @param gateway where the gateway listens, or null for none
 * @param node the node, or null for none
 * @param remoteNodes nodes of other processes behind the gateway
 */
public record ServerConfig(
    Path data, @Nullable HostPort gateway, @Nullable NodePart node, List<RemoteNode> remoteNodes) {

  /**
   * The node of this process.
   *
   * @param nodeId 1–20 characters of [a-z0-9]
   * @param listen where it listens
   * @param plugins where further backends lie as jars
   * @param settings of the backends
   */
  public record NodePart(
      String nodeId, HostPort listen, Optional<Path> plugins, Map<String, String> settings) {}

  /**
   * A node of another process.
   *
   * @param nodeId its id
   * @param address where it listens
   */
  public record RemoteNode(String nodeId, HostPort address) {

    NodeAddress with(String token) {
      return new NodeAddress(nodeId, address.host(), address.port(), token);
    }
  }

  /** Gateway and node in one process on loopback; the gateway on a port of its choice. */
  public static ServerConfig local(Path data) {
    return local(data, Map.of());
  }

  /** The same with settings of the node. */
  public static ServerConfig local(Path data, Map<String, String> settings) {
    NodePart node = new NodePart("local", new HostPort("127.0.0.1", 0), Optional.empty(), settings);
    return new ServerConfig(data, new HostPort("127.0.0.1", 0), node, List.of());
  }
}
