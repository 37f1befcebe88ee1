// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.cli.connection.CommandFailure;

/**
 * Where to listen or to connect.
 *
 * @param host a name or address
 * @param port 0 … 65,535
 */
public record HostPort(String host, int port) {

  private static final int MAX_PORT = 65_535;

  /** Reads "host:port" or "[v6]:port"; the option is named in the failure. */
  public static HostPort parse(String option, String text) {
    int colon = text.lastIndexOf(':');
    String digits = text.substring(colon + 1);
    if (colon <= 0 || !digits.matches("\\d{1,5}") || Integer.parseInt(digits) > MAX_PORT) {
      throw CommandFailure.usage(option + ": '" + text + "' is no address, give HOST:PORT");
    }
    String host = text.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    return new HostPort(
        bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(digits));
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
