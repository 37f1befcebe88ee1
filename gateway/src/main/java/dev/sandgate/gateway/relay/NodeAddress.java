// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import java.util.regex.Pattern;

/**
 * A node and how to reach it.
 *
 * @param nodeId 1–20 characters of [a-z0-9]
 * @param host name or address
 * @param port 1–65,535
 * @param token what the node wants as bearer token
 */
public record NodeAddress(String nodeId, String host, int port, String token) {

  private static final Pattern ID = Pattern.compile("[a-z0-9]{1,20}");

  /** Checks every part. */
  public NodeAddress {
    if (!ID.matcher(nodeId).matches()) {
      throw new IllegalArgumentException(
          "nodes: the node id '" + nodeId + "' is not 1 to 20 characters of [a-z0-9]");
    }
    if (host.isBlank()) {
      throw new IllegalArgumentException("nodes: node " + nodeId + " has no host");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "nodes: the port " + port + " of node " + nodeId + " is not within 1 to 65535");
    }
  }

  @Override
  public String toString() {
    return nodeId + " at " + host + ":" + port;
  }
}
