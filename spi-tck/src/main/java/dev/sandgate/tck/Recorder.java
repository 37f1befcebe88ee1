// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.OutputOffsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to an exec's events, records them in bounded memory and checks on the way what every stream of
 * events promises: chunks of 1 byte to 64 KiB, offsets without gap, no more than asked for, exactly one exit,
 * last, with the right ends.
 */
final class Recorder implements Flow.Subscriber<ExecEvent> {

  private static final int CHUNK = 65_536;

  private final CompletableFuture<Result> done = new CompletableFuture<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  private final long firstDemand;
  private final Capture stdout;
  private final Capture stderr;
  private ExecEvent.@Nullable Exited exited;
  private long allowed;

  /** Asks for everything. */
  Recorder() {
    this(Long.MAX_VALUE, OutputOffsets.START);
  }

  Recorder(long firstDemand, OutputOffsets from) {
    this.firstDemand = firstDemand;
    this.stdout = new Capture(from.stdout());
    this.stderr = new Capture(from.stderr());
  }

  @Override
  public void onSubscribe(Flow.Subscription accepted) {
    subscription.complete(accepted);
    if (firstDemand > 0) {
      request(firstDemand);
    }
  }

  @Override
  public synchronized void onNext(ExecEvent event) {
    try {
      allowed--;
      require(allowed >= 0, "an event nobody asked for: " + event);
      require(exited == null, "an event after the exit: " + event);
      switch (event) {
        case ExecEvent.Output output -> take(output);
        case ExecEvent.Exited exit -> exited = exit;
      }
    } catch (AssertionError e) {
      done.completeExceptionally(e);
    }
  }

  private void take(ExecEvent.Output output) {
    int size = output.data().remaining();
    require(size > 0 && size <= CHUNK, "a chunk of " + size + " bytes");
    Capture capture = output.stream() == ExecEvent.Stream.STDOUT ? stdout : stderr;
    require(
        output.offset() == capture.position(),
        output.stream() + " at " + output.offset() + " instead of " + capture.position());
    capture.add(output.data());
  }

  @Override
  public void onError(Throwable failure) {
    done.completeExceptionally(failure);
  }

  @Override
  public synchronized void onComplete() {
    ExecEvent.Exited exit = exited;
    if (exit == null) {
      done.completeExceptionally(new AssertionError("the events ended without an exit"));
      return;
    }
    OutputOffsets seen = new OutputOffsets(stdout.position(), stderr.position());
    if (exit.end().equals(seen)) {
      done.complete(new Result(exit, stdout, stderr));
    } else {
      done.completeExceptionally(new AssertionError("exit says " + exit.end() + ", seen " + seen));
    }
  }

  void request(long n) {
    synchronized (this) {
      allowed = allowed > Long.MAX_VALUE - n ? Long.MAX_VALUE : allowed + n;
    }
    Waiting.on(subscription).request(n);
  }

  void cancel() {
    Waiting.on(subscription).cancel();
  }

  boolean ended() {
    return done.isDone();
  }

  /** The exit and the whole output; fails with what the stream failed with. */
  Result result() {
    return Waiting.on(done);
  }

  Result result(Duration patience) {
    return Waiting.on(done, patience);
  }

  /** What failed the stream. */
  Throwable failure() {
    return Waiting.failureOf(done);
  }

  synchronized OutputOffsets position() {
    return new OutputOffsets(stdout.position(), stderr.position());
  }

  synchronized String stdout() {
    return stdout.text();
  }

  /** Waits until stdout has the text. */
  void awaitStdout(String text) {
    Eventually.value(
        "stdout contains " + text, this::stdout, seen -> seen.contains(text) || failedEarly());
  }

  private boolean failedEarly() {
    if (done.isCompletedExceptionally()) {
      throw new AssertionError("the events failed", failure());
    }
    return false;
  }

  private static void require(boolean held, String otherwise) {
    if (!held) {
      throw new AssertionError(otherwise);
    }
  }
}
