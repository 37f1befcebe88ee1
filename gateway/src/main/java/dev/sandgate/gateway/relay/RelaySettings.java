// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import java.time.Duration;

/**
 * Limits and times of the relay.
 *
 * @param connectionsPerNode connections to each node, over all loops
 * @param streamsPerConnection streams that one client connection may have open
 * @param creditBytes what a node may send on one stream ahead of its client, 1 KiB to 1 MiB
 * @param pendingPerConnection bytes that may wait for one connection; beyond it streams are reset
 * @param pendingPerLoop bytes that may wait on one loop in all; beyond it streams are reset
 * @param firstMessage how long a stream may take to name its sandbox
 * @param connect how long a connection to a node may take to be ready
 * @param keepAlive after how long a silent client or node is pinged; it has half of that to answer
 * @param patience how long clients may take
 */
public record RelaySettings(
    int connectionsPerNode,
    int streamsPerConnection,
    int creditBytes,
    long pendingPerConnection,
    long pendingPerLoop,
    Duration firstMessage,
    Duration connect,
    Duration keepAlive,
    Patience patience) {

  /**
   * How long a client may take; then its connection is closed.
   *
   * @param handshake from its first byte to the end of preface and SETTINGS
   * @param firstCall until its first call with a valid key
   * @param frame for a frame, or a block of headers, of which it keeps sending bytes
   */
  public record Patience(Duration handshake, Duration firstCall, Duration frame) {

    /** Checks every range. */
    public Patience {
      within("patience.handshake", handshake.toMillis(), 10, 3_600_000);
      within("patience.firstCall", firstCall.toMillis(), 10, 3_600_000);
      within("patience.frame", frame.toMillis(), 10, 3_600_000);
    }

    /** 10 seconds for the handshake, 30 for the first call, 20 for a frame. */
    public static Patience defaults() {
      return new Patience(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(20));
    }
  }

  /** Checks every range. */
  public RelaySettings {
    within("connectionsPerNode", connectionsPerNode, 1, 1_024);
    within("streamsPerConnection", streamsPerConnection, 1, 1_000_000);
    within("creditBytes", creditBytes, 1 << 10, 1 << 20);
    within("pendingPerConnection", pendingPerConnection, 1 << 16, 1L << 30);
    within("pendingPerLoop", pendingPerLoop, 1 << 16, 1L << 34);
    within("firstMessage", firstMessage.toMillis(), 10, 3_600_000);
    within("connect", connect.toMillis(), 10, 60_000);
    within("keepAlive", keepAlive.toMillis(), 100, 3_600_000);
  }

  /** What fits most: 16 sockets a node, 8 MiB waiting for a connection, 64 MiB on a loop. */
  public static RelaySettings defaults() {
    return new RelaySettings(
        16,
        100_000,
        16 << 10,
        8L << 20,
        64L << 20,
        Duration.ofSeconds(10),
        Duration.ofSeconds(3),
        Duration.ofSeconds(10),
        Patience.defaults());
  }

  private static void within(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "relay." + name + ": " + value + " is not within " + least + " to " + most);
    }
  }
}
