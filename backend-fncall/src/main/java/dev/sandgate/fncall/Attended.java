// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.FunctionResult.Output;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.subscription.Cancellable;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command whose input is given and whose output is kept as far as wanted, until it ended or was killed. */
final class Attended {

  private static final Logger LOG = LoggerFactory.getLogger(Attended.class);
  private static final int CHUNK = 64 << 10;
  private static final int SIGKILL = 9;
  private static final int SIGNALLED = 128;
  private static final Duration DYING = Duration.ofSeconds(20);

  private final Exec exec;
  private final Kept out;
  private final Kept err;
  private final CompletableFuture<Exited> ended = new CompletableFuture<>();

  /** The head of what was written to a stream; written by the agent's event loop, read after the end. */
  private static final class Kept {
    private final int most;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private long bytes;

    Kept(int most) {
      this.most = most;
    }

    void take(ByteBuffer data) {
      bytes += data.remaining();
      byte[] part = new byte[Math.min(most - head.size(), data.remaining())];
      data.duplicate().get(part);
      head.writeBytes(part);
    }

    Output output() {
      return new Output(ByteBuffer.wrap(head.toByteArray()).asReadOnlyBuffer(), bytes);
    }
  }

  private Attended(Exec exec, int kept) {
    this.exec = exec;
    this.out = new Kept(kept);
    this.err = new Kept(kept);
  }

  /**
   * Follows a command to its end; blocks.
   *
   * @param exec that was just started
   * @param stdin all of it
   * @param expected of stdout, if anything
   * @param timeout after which its whole tree is killed
   * @param kept bytes of each output
   */
  static Run run(
      Exec exec, ByteBuffer stdin, Optional<ByteBuffer> expected, Duration timeout, int kept) {
    Attended attended = new Attended(exec, kept);
    Cancellable listening =
        exec.events()
            .subscribe()
            .with(attended::heard, attended.ended::completeExceptionally, attended::cut);
    try {
      if (stdin.hasRemaining()) {
        attended.feed(0, stdin.duplicate());
      }
      return attended.finished(timeout, expected);
    } finally {
      listening.cancel();
    }
  }

  private void heard(ExecEvent event) {
    switch (event) {
      case ExecEvent.Output output ->
          (output.stream() == ExecEvent.Stream.STDOUT ? out : err).take(output.data());
      case Exited exited -> ended.complete(exited);
    }
  }

  private void cut() {
    ended.completeExceptionally(new IllegalStateException("a command's events ended without exit"));
  }

  /** One chunk after the other; a command that wants no more of it is no failure. */
  private void feed(long offset, ByteBuffer rest) {
    ByteBuffer chunk = rest.slice(rest.position(), Math.min(CHUNK, rest.remaining()));
    rest.position(rest.position() + chunk.remaining());
    exec.write(offset, chunk, !rest.hasRemaining())
        .subscribe()
        .with(
            taken -> {
              if (rest.hasRemaining()) {
                feed(taken, rest);
              }
            },
            failure -> LOG.debug("{} takes no more input", exec.id(), failure));
  }

  private Run finished(Duration timeout, Optional<ByteBuffer> expected) {
    boolean timedOut = false;
    Exited exited;
    try {
      exited = await(timeout);
    } catch (TimeoutException late) {
      LOG.debug("{} is killed", exec.id(), late);
      timedOut = true;
      exited = killed();
    }
    int code = exited.signal() == 0 ? exited.exitCode() : SIGNALLED + exited.signal();
    return Verdicts.run(
        new Verdicts.Ended(code, exited.signal(), timedOut, exited.outOfMemory()),
        out.output(),
        err.output(),
        exited.usage(),
        expected);
  }

  private Exited killed() {
    exec.signal(SIGKILL, SignalTarget.TREE).await().atMost(DYING);
    try {
      return await(DYING);
    } catch (TimeoutException e) {
      throw Host.explain(e);
    }
  }

  private Exited await(Duration within) throws TimeoutException {
    try {
      return ended.get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw Host.explain(e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    }
  }
}
