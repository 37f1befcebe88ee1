// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.relay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.load.tool.Child;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Interactive streams on which messages are due at fixed times, while others flood or are read no more.
 *
 * @param special how many of the {@link #STREAMS} are not interactive
 * @param stopped whether those are read no more halfway through the warm-up, or flood on
 * @param seconds measured
 */
record MixedLoad(int special, boolean stopped, double seconds) {

  static final int STREAMS = 200;

  private static final int CONNECTIONS = 4;
  private static final int MESSAGES_PER_SECOND = 10_000;
  private static final double WARMUP_SECONDS = 0.4;
  private static final int DIGITS = 3;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What one run gave.
   *
   * @param micros from when each message was due until it was back; one that never came counts with its age
   * @param answered messages that came back
   * @param wrong messages that were lost, changed or out of order, and streams that ended
   * @param stalled interactive streams on which a message waited for a second or longer
   * @param floodBytes of output received and checked
   */
  record Result(Histogram micros, long answered, long wrong, long stalled, long floodBytes) {

    double percentile(double percent) {
      return micros.getValueAtPercentile(percent);
    }
  }

  /** Loads a relay. */
  Result run(Path h2peer, RelayPeer relay, Path directory) throws IOException {
    Path file = directory.resolve("latencies");
    Path errors = directory.resolve("h2peer.log");
    try (Child client = Child.pinned(EchoLoad.CPU, errors, command(h2peer, relay.port(), file))) {
      JsonNode result = JSON.readTree(client.line());
      return new Result(
          histogram(file),
          result.get("answered").asLong(),
          result.get("errors").asLong() + result.get("ended").asLong(),
          result.get("stalled").asLong(),
          result.get("flood_bytes").asLong());
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static Histogram histogram(Path file) throws IOException {
    Histogram histogram = new Histogram(DIGITS);
    FloatBuffer values =
        ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder()).asFloatBuffer();
    while (values.hasRemaining()) {
      histogram.recordValue((long) values.get());
    }
    return histogram;
  }

  private List<String> command(Path h2peer, int port, Path file) {
    List<String> command = new ArrayList<>(List.of(h2peer.toString(), "mixed"));
    command.addAll(List.of(Integer.toString(port), stopped ? "stop" : "flood"));
    command.addAll(List.of(Integer.toString(CONNECTIONS), Integer.toString(STREAMS)));
    command.addAll(List.of(Integer.toString(special), Integer.toString(MESSAGES_PER_SECOND)));
    command.addAll(List.of(Double.toString(WARMUP_SECONDS), Double.toString(seconds)));
    command.addAll(List.of("sb-" + GatewayProcess.NODE + "-", file.toString()));
    command.add("Bearer " + GatewayProcess.KEY);
    return command;
  }
}
