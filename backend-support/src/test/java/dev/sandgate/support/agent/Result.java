// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecEvent.Stream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** All that a command did. */
record Result(String out, String err, Exited exit) {

  static Result of(Exec exec) {
    List<ExecEvent> events = exec.events().collect().asList().await().atMost(PlainAgent.PATIENCE);
    exec.release().await().atMost(PlainAgent.PATIENCE);
    return new Result(
        text(events, Stream.STDOUT), text(events, Stream.STDERR), (Exited) events.getLast());
  }

  int code() {
    return exit.exitCode();
  }

  private static String text(List<ExecEvent> events, Stream stream) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (ExecEvent event : events) {
      if (event instanceof Output output && output.stream() == stream) {
        if (output.offset() != bytes.size()) {
          throw new AssertionError("output at " + output.offset() + ", not " + bytes.size());
        }
        byte[] piece = new byte[output.data().remaining()];
        output.data().get(piece);
        bytes.writeBytes(piece);
      }
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }
}
