// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.load.tool.Child;
import dev.sandgate.load.tool.CpuTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The C load client and its shape of load.
 *
 * @param mode `echo` or `flood`
 * @param connections to the relay
 * @param streams in all
 * @param window messages under way per stream
 * @param seconds measured, after as many of warm-up, at most one
 */
record EchoLoad(String mode, int connections, int streams, int window, double seconds) {

  static final int CPU = 1;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What one run gave.
   *
   * @param messages echoed and checked
   * @param bytes received
   * @param seconds measured
   * @param cpuMicros of the relay while measuring
   * @param p50Micros of the echo
   */
  record Result(long messages, long bytes, double seconds, double cpuMicros, double p50Micros) {

    boolean isEmpty() {
      return bytes == 0;
    }

    double cpuMicrosPerMessage() {
      return cpuMicros / messages;
    }

    double megabytesPerCpuSecond() {
      return bytes / cpuMicros;
    }

    double messagesPerSecond() {
      return messages / seconds;
    }
  }

  /** Loads a relay and measures its CPU time. */
  Result run(Path h2peer, RelayPeer relay, Path errors) throws IOException {
    try (Child client = Child.pinned(CPU, errors, command(h2peer, relay.port()))) {
      client.await("measuring");
      double before = CpuTime.micros(relay.pid());
      JsonNode result = JSON.readTree(client.line());
      double cpu = CpuTime.micros(relay.pid()) - before;
      if (result.get("errors").asLong() > 0 || result.get("ended").asLong() > 0) {
        throw new IOException(relay.name() + " lost or changed messages: " + result);
      }
      long messages = result.get("messages").asLong();
      long bytes = result.get("bytes").asLong();
      return new Result(
          messages,
          bytes,
          result.get("seconds").asDouble(),
          cpu,
          result.get("p50_micros").asDouble());
    }
  }

  private List<String> command(Path h2peer, int port) {
    List<String> command = new ArrayList<>(List.of(h2peer.toString(), "load"));
    command.addAll(List.of(Integer.toString(port), mode, Integer.toString(connections)));
    command.addAll(List.of(Integer.toString(streams), Integer.toString(window)));
    command.addAll(List.of(Double.toString(Math.min(1, seconds)), Double.toString(seconds)));
    command.addAll(List.of("sb-" + GatewayProcess.NODE + "-", "Bearer " + GatewayProcess.KEY));
    return command;
  }
}
