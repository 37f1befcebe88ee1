// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecEvent.Stream;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Sandbox;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** What a command left behind. */
record Finished(String out, String err, Exited exit) {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  static Finished sh(Sandbox sandbox, String script) {
    return of(sandbox, "/bin/sh", "-c", script);
  }

  static Finished of(Sandbox sandbox, String... argv) {
    return of(sandbox, ExecSpec.of(UUID.randomUUID().toString(), argv));
  }

  static Finished of(Sandbox sandbox, ExecSpec spec) {
    Exec exec = sandbox.exec(spec).await().atMost(PATIENCE);
    List<ExecEvent> events = exec.events().collect().asList().await().atMost(PATIENCE);
    exec.release().await().atMost(PATIENCE);
    return new Finished(
        text(events, Stream.STDOUT), text(events, Stream.STDERR), (Exited) events.getLast());
  }

  int code() {
    return exit.exitCode();
  }

  private static String text(List<ExecEvent> events, Stream stream) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (ExecEvent event : events) {
      if (event instanceof Output(Stream from, long offset, ByteBuffer data) && from == stream) {
        if (offset != bytes.size()) {
          throw new AssertionError("output at " + offset + " after " + bytes.size() + " bytes");
        }
        byte[] piece = new byte[data.remaining()];
        data.get(piece);
        bytes.writeBytes(piece);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
