// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecEvent.EventCase;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.proto.v1.StartExecRequest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a stream of events said, checked for the rules that hold for every stream.
 *
 * @param stdout the bytes that came
 * @param stderr the bytes that came
 * @param truncated what did not come
 * @param result the last event
 * @param messages how many messages carried output
 */
public record Ran(
    String stdout, String stderr, List<ExecTruncated> truncated, ExecResult result, int messages) {

  /** A request that starts a command. */
  public static StartExecRequest start(String sandboxId, String execId, String... argv) {
    return StartExecRequest.newBuilder()
        .setSandboxId(sandboxId)
        .setExecId(execId)
        .setCommand(Command.newBuilder().addAllArgv(List.of(argv)))
        .build();
  }

  /** Reads a whole stream. */
  public static Ran of(List<ExecEvent> events) {
    if (events.getFirst().getEventCase() != EventCase.STARTED) {
      throw new AssertionError("the first event is " + events.getFirst());
    }
    if (events.getLast().getEventCase() != EventCase.EXITED) {
      throw new AssertionError("the last event is " + events.getLast());
    }
    long exits = events.stream().filter(ExecEvent::hasExited).count();
    if (exits != 1) {
      throw new AssertionError(exits + " exits");
    }
    return new Ran(
        text(events, OutputStream.OUTPUT_STREAM_STDOUT),
        text(events, OutputStream.OUTPUT_STREAM_STDERR),
        events.stream().filter(ExecEvent::hasTruncated).map(ExecEvent::getTruncated).toList(),
        events.getLast().getExited(),
        (int) events.stream().filter(ExecEvent::hasOutput).count());
  }

  private static String text(List<ExecEvent> events, OutputStream stream) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    long expected = -1;
    for (ExecEvent event : events) {
      if (event.hasOutput() && event.getOutput().getStream() == stream) {
        long offset = event.getOutput().getOffset();
        ByteString data = event.getOutput().getData();
        if (data.isEmpty() || data.size() > 64 << 10) {
          throw new AssertionError("a message with " + data.size() + " bytes");
        }
        if (expected >= 0 && offset != expected) {
          throw new AssertionError("offset " + offset + " instead of " + expected);
        }
        all.writeBytes(data.toByteArray());
        expected = offset + data.size();
      }
      if (event.hasTruncated() && event.getTruncated().getStream() == stream) {
        expected = event.getTruncated().getTo();
      }
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }
}
