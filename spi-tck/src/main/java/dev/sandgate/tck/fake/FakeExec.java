// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecEvent.Stream;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SandgateException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A command as the guest knows it: a virtual thread, its streams in bounded memory, its exit. The command's
 * side blocks; the node's side is {@link FakeHandle}.
 */
final class FakeExec {

  private static final int UNREAD = 256 << 10;
  private static final int CHUNK = 64 << 10;
  private static final int SIGKILL = 9;

  private final ExecSpec spec;
  private final long startNanos = System.nanoTime();
  private final Ring stdin = new Ring(128 << 10);
  private final Ring stdout = new Ring(UNREAD);
  private final Ring stderr = new Ring(UNREAD);
  private final Thread thread;
  private boolean stdinEnded;
  private boolean stdinClosed;
  private boolean paused;
  private final CompletableFuture<Void> lost = new CompletableFuture<>();
  private int signal;
  private @Nullable Exited exited;
  private int listeners;

  FakeExec(ExecSpec spec, FakeCommand command) {
    this.spec = spec;
    this.stdinClosed = !spec.stdin();
    this.stdinEnded = !spec.stdin();
    this.thread = Thread.ofVirtual().name("fake " + spec.id()).unstarted(() -> run(command));
  }

  ExecSpec spec() {
    return spec;
  }

  long pid() {
    return thread.threadId();
  }

  void start() {
    thread.start();
  }

  private void run(FakeCommand command) {
    int code;
    try {
      code = command.run(this);
    } catch (InterruptedException killed) {
      code = -1;
    }
    end(code);
  }

  private synchronized void end(int code) {
    OutputOffsets ends = new OutputOffsets(stdout.end(), stderr.end());
    Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
    ExecUsage usage = new ExecUsage(wall, Duration.ofMillis(1), 1 << 20, 4_096, 8_192);
    int signalled = signal == 0 && code == -1 ? SIGKILL : signal;
    exited = new Exited(signalled == 0 ? code : -1, signalled, false, ends, usage);
    stdinClosed = true;
    notifyAll();
  }

  // The command's side.

  /** Writes all of it, waiting for the reader and while paused. */
  synchronized void print(Stream stream, ByteBuffer data) throws InterruptedException {
    Ring ring = stream == Stream.STDOUT ? stdout : stderr;
    while (data.hasRemaining()) {
      while (ring.room() == 0 || paused) {
        wait();
      }
      ring.add(data);
      notifyAll();
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Waits for input; empty at its end. */
  synchronized byte[] read(int most) throws InterruptedException {
    while (stdin.end() == stdin.start() && !stdinEnded && !stdinClosed) {
      wait();
    }
    byte[] data = stdin.copy(stdin.start(), most);
    stdin.forget(stdin.start() + data.length);
    notifyAll();
    return data;
  }

  synchronized void closeStdin() {
    stdinClosed = true;
    notifyAll();
  }

  // The node's side.

  synchronized boolean running() {
    return exited == null;
  }

  synchronized void pause(boolean on) {
    paused = on;
    notifyAll();
  }

  /** A signal that ends a command does so; the others are ignored. */
  synchronized void kill(int number) {
    boolean harmless = number == 17 || number == 18 || number == 23 || number == 28;
    if (exited == null && signal == 0 && !harmless) {
      signal = number;
      thread.interrupt();
    }
  }

  /** The sandbox is gone: what waits fails. */
  synchronized void lose() {
    lost.complete(null);
    thread.interrupt();
    notifyAll();
  }

  /** Completes when the sandbox is gone. */
  CompletableFuture<Void> lost() {
    return lost;
  }

  synchronized int listen() {
    listeners++;
    notifyAll();
    return listeners;
  }

  synchronized long write(long offset, ByteBuffer data, boolean end) throws InterruptedException {
    checkWritable();
    if (offset > stdin.end()) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION, "a gap: stdin is at " + stdin.end() + ", not " + offset);
    }
    data.position((int) Math.min(data.limit(), data.position() + stdin.end() - offset));
    while (data.hasRemaining()) {
      while (stdin.room() == 0) {
        wait();
        checkWritable();
      }
      stdin.add(data);
      notifyAll();
    }
    stdinEnded |= end;
    notifyAll();
    return stdin.end();
  }

  private void checkWritable() {
    checkAlive();
    if (stdinEnded || stdinClosed) {
      throw new SandgateException(ErrorCode.FAILED_PRECONDITION, "stdin is closed");
    }
  }

  private void checkAlive() {
    if (lost.isDone()) {
      throw new SandgateException(ErrorCode.SANDBOX_LOST, "the sandbox is gone");
    }
  }

  /** The next event for a listener at a position; waits for it; empty for a listener that was replaced. */
  synchronized Optional<ExecEvent> next(int listener, OutputOffsets at)
      throws InterruptedException {
    while (true) {
      checkAlive();
      if (listener != listeners) {
        return Optional.empty();
      }
      if (stdout.end() > at.stdout()) {
        return output(Stream.STDOUT, stdout, at.stdout());
      }
      if (stderr.end() > at.stderr()) {
        return output(Stream.STDERR, stderr, at.stderr());
      }
      if (exited != null) {
        return Optional.of(exited);
      }
      wait();
    }
  }

  private static Optional<ExecEvent> output(Stream stream, Ring ring, long at) {
    ByteBuffer data = ByteBuffer.wrap(ring.copy(at, CHUNK)).asReadOnlyBuffer();
    return Optional.of(new Output(stream, at, data));
  }

  synchronized void acknowledge(OutputOffsets taken) {
    stdout.forget(taken.stdout());
    stderr.forget(taken.stderr());
    notifyAll();
  }

  /** Moves a new listener's position to what is still there. */
  synchronized OutputOffsets clamp(OutputOffsets wanted) {
    return new OutputOffsets(
        Math.max(wanted.stdout(), stdout.start()), Math.max(wanted.stderr(), stderr.start()));
  }
}
