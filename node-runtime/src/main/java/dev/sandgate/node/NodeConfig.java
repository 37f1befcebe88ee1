// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.config.Setting.check;
import static java.util.Objects.requireNonNull;

import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.config.Defaults;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a node is told at start; a wrong value is INVALID_CONFIG with the setting's name.
 *
 * @param nodeId the node's name, 1–20 characters of {@code [a-z0-9]}, part of every sandbox id
 * @param host the address to listen on
 * @param port 0 for any free one
 * @param dataDirectory the node's own; two nodes never share one
 * @param pluginsDirectory where further backends lie as jars
 * @param token the shared secret that callers show as {@code authorization: Bearer <token>}, at least 16
 *     characters
 * @param defaults what a create request that leaves a field out gets
 * @param capacity what the node keeps at most
 * @param settings of the backends, keys {@code backend.<name>.<key>}; {@code backend.<name>.enabled=false}
 *     leaves a backend closed
 */
public record NodeConfig(
    String nodeId,
    String host,
    int port,
    Path dataDirectory,
    Optional<Path> pluginsDirectory,
    String token,
    Defaults defaults,
    Capacity capacity,
    Map<String, String> settings) {

  private static final int MIN_TOKEN = 16;

  /** Checks and freezes. */
  public NodeConfig {
    check(nodeId.matches("[a-z0-9]{1,20}"), "node.id", "give 1–20 characters of [a-z0-9]");
    check(!host.isBlank(), "node.host", "give an address of this host, for example 127.0.0.1");
    check(port >= 0 && port <= 65_535, "node.port", "give 0 … 65535");
    check(token.length() >= MIN_TOKEN, "node.token", "give at least " + MIN_TOKEN + " characters");
    requireNonNull(dataDirectory);
    settings = Map.copyOf(settings);
  }

  /** A node on this machine's loopback with every other setting at its default. */
  public static NodeConfig of(String nodeId, Path dataDirectory, String token) {
    return new NodeConfig(
        nodeId,
        "127.0.0.1",
        0,
        dataDirectory,
        Optional.empty(),
        token,
        Defaults.STANDARD,
        Capacity.STANDARD,
        Map.of());
  }

  /** Leaves the token and the settings' values out. */
  @Override
  public String toString() {
    return "NodeConfig[%s, %s:%d, %s]".formatted(nodeId, host, port, dataDirectory);
  }
}
