// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.ExecOutput;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** How far a command's output was read; makes a stream that was attached again seamless. */
final class Offsets {

  private long stdout;
  private long stderr;

  Offsets(long stdout, long stderr) {
    this.stdout = stdout;
    this.stderr = stderr;
  }

  long stdout() {
    return stdout;
  }

  long stderr() {
    return stderr;
  }

  /** What is new in these bytes: bytes seen before are cut off, a hole before them is told. */
  List<ExecEvent> output(ExecOutput output) {
    List<ExecEvent> events = new ArrayList<>(2);
    OutputStream stream = output.getStream();
    long expected = position(stream);
    long from = output.getOffset();
    long end = from + output.getData().size();
    if (from > expected) {
      events.add(new ExecEvent.Truncated(stream, expected, from));
    }
    if (end > expected) {
      int seen = (int) Math.max(0, expected - from);
      events.add(
          new ExecEvent.Output(
              stream, from + seen, output.getData().substring(seen).asReadOnlyByteBuffer()));
      advance(stream, end);
    }
    return events;
  }

  /** What is new in this hole. */
  List<ExecEvent> truncated(ExecTruncated hole) {
    long expected = position(hole.getStream());
    if (hole.getTo() <= expected) {
      return List.of();
    }
    advance(hole.getStream(), hole.getTo());
    long from = Math.max(expected, hole.getFrom());
    return List.of(new ExecEvent.Truncated(hole.getStream(), from, hole.getTo()));
  }

  private long position(OutputStream stream) {
    return stream == OutputStream.OUTPUT_STREAM_STDERR ? stderr : stdout;
  }

  private void advance(OutputStream stream, long to) {
    if (stream == OutputStream.OUTPUT_STREAM_STDERR) {
      stderr = to;
    } else {
      stdout = to;
    }
  }
}
