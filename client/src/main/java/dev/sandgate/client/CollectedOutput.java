// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gathers a command's events into what the run call would have answered: up to 4 MiB of each output. */
final class CollectedOutput {

  private static final int CAP_BYTES = 4 << 20;

  private final List<ExecTruncated> truncated = new ArrayList<>();
  private ByteString stdout = ByteString.EMPTY;
  private ByteString stderr = ByteString.EMPTY;
  private @Nullable ExecResult result;

  void add(ExecEvent event) {
    switch (event) {
      case ExecEvent.Started started -> result = null;
      case ExecEvent.Output output -> add(output);
      case ExecEvent.Truncated hole -> missing(hole.stream(), hole.from(), hole.to());
      case ExecEvent.Exited exited -> result = exited.result();
    }
  }

  private void add(ExecEvent.Output output) {
    ByteString data = ByteString.copyFrom(output.data());
    if (output.stream() == OutputStream.OUTPUT_STREAM_STDERR) {
      stderr = append(stderr, data, output);
    } else {
      stdout = append(stdout, data, output);
    }
  }

  private ByteString append(ByteString kept, ByteString data, ExecEvent.Output output) {
    int room = Math.min(data.size(), CAP_BYTES - kept.size());
    if (room < data.size()) {
      missing(output.stream(), output.offset() + room, output.offset() + data.size());
    }
    return kept.concat(data.substring(0, room));
  }

  /** Ranges that touch become one. */
  private void missing(OutputStream stream, long from, long to) {
    ExecTruncated range =
        ExecTruncated.newBuilder().setStream(stream).setFrom(from).setTo(to).build();
    for (int i = 0; i < truncated.size(); i++) {
      ExecTruncated before = truncated.get(i);
      if (before.getStream() == stream && before.getTo() == from) {
        truncated.set(i, before.toBuilder().setTo(to).build());
        return;
      }
    }
    truncated.add(range);
  }

  ExecResult result() {
    if (result == null) {
      throw SandgateClientException.internal("a stream of events ended without its result");
    }
    return new ExecResult(
        result.message().toBuilder()
            .setStdout(stdout)
            .setStderr(stderr)
            .clearTruncated()
            .addAllTruncated(truncated)
            .setStdoutTruncated(misses(OutputStream.OUTPUT_STREAM_STDOUT))
            .setStderrTruncated(misses(OutputStream.OUTPUT_STREAM_STDERR))
            .build());
  }

  private boolean misses(OutputStream stream) {
    return truncated.stream().anyMatch(range -> range.getStream() == stream);
  }
}
