// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import java.net.URI;
import java.time.Duration;

/**
 * Where and how to connect.
 *
 * @param uri the gateway: {@code http://host:port} or {@code https://host:port}
 * @param key the API key
 * @param connections HTTP/2 connections to spread calls over, 1 … 256
 * @param callTimeout how long a short call (get, list, stat, …) may take before it fails with DEADLINE_EXCEEDED
 * @param reconnectTimeout how long a lost exec stream tries to attach again before it fails with UNKNOWN_OUTCOME
 */
public record ClientOptions(
    URI uri, String key, int connections, Duration callTimeout, Duration reconnectTimeout) {

  /** Checks the values. */
  public ClientOptions {
    String scheme = String.valueOf(uri.getScheme());
    if (!(scheme.equals("http") || scheme.equals("https")) || uri.getHost() == null) {
      throw new IllegalArgumentException(
          "uri must be http://host:port or https://host:port, not " + uri);
    }
    if (!key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new IllegalArgumentException("key must be printable ASCII without spaces");
    }
    if (connections < 1 || connections > 256) {
      throw new IllegalArgumentException("connections must be 1 to 256, not " + connections);
    }
  }

  /**
   * The usual: as many connections as cores, 60 s for short calls, 30 s to attach again.
   *
   * @param uri the gateway
   * @param key the API key
   * @return the options
   * @throws IllegalArgumentException when the address is none
   */
  public static ClientOptions of(String uri, String key) {
    int cores = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 8);
    return new ClientOptions(
        URI.create(uri), key, cores, Duration.ofSeconds(60), Duration.ofSeconds(30));
  }

  /**
   * With another number of connections.
   *
   * @param count 1 … 256
   * @return a copy
   */
  public ClientOptions withConnections(int count) {
    return new ClientOptions(uri, key, count, callTimeout, reconnectTimeout);
  }

  /**
   * With another time to attach again.
   *
   * @param timeout zero for not at all
   * @return a copy
   */
  public ClientOptions withReconnectTimeout(Duration timeout) {
    return new ClientOptions(uri, key, connections, callTimeout, timeout);
  }
}
