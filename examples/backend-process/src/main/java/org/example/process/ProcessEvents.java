// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecEvent.Stream;
import dev.sandgate.spi.OutputOffsets;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Output and exit of a process, read only when asked. It never blocks in a read: a grandchild may keep a
 * pipe open for ever. When the process ends, the JDK takes what is in its pipes and closes them.
 */
final class ProcessEvents implements BlockingStream.Source<ExecEvent> {

  private static final int CHUNK = 65_536;
  private static final long LONGEST_PAUSE_NANOS = 20_000_000;
  private static final int SIGNAL_BASE = 128;

  private final Process process;
  private final long startNanos = System.nanoTime();
  private long stdout;
  private long stderr;
  private boolean ended;

  ProcessEvents(Process process) {
    this.process = process;
  }

  @Override
  public Optional<ExecEvent> next() throws InterruptedException, IOException {
    long pause = 200_000;
    while (!ended) {
      boolean alive = process.isAlive();
      Optional<ExecEvent> output = output(alive);
      if (output.isPresent()) {
        return output;
      }
      if (!alive) {
        ended = true;
        return Optional.of(exited());
      }
      process.waitFor(pause, TimeUnit.NANOSECONDS);
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
    return Optional.empty();
  }

  private Optional<ExecEvent> output(boolean alive) throws IOException {
    byte[] out = available(process.getInputStream(), alive);
    if (out.length > 0) {
      stdout += out.length;
      return Optional.of(new Output(Stream.STDOUT, stdout - out.length, readOnly(out)));
    }
    byte[] err = available(process.getErrorStream(), alive);
    if (err.length > 0) {
      stderr += err.length;
      return Optional.of(new Output(Stream.STDERR, stderr - err.length, readOnly(err)));
    }
    return Optional.empty();
  }

  private static byte[] available(InputStream stream, boolean alive) throws IOException {
    int size = stream.available();
    return size > 0 ? stream.readNBytes(Math.min(size, CHUNK)) : new byte[0];
  }

  private static ByteBuffer readOnly(byte[] bytes) {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  private Exited exited() {
    Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
    ExecUsage usage = new ExecUsage(wall, Duration.ZERO, 0);
    return new Exited(process.exitValue(), 0, false, new OutputOffsets(stdout, stderr), usage);
  }
}
