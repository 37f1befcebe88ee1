// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.ExecResult;
import dev.sandgate.load.chaos.check.Ending;
import dev.sandgate.load.chaos.check.Transcript;
import dev.sandgate.load.chaos.seed.Order;
import dev.sandgate.proto.v1.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Follows a command over one handle at its caller's pace, and writes down what comes. */
final class Reading implements Flow.Subscriber<ExecEvent> {

  private static final int DAWDLE_MILLIS = 40;
  private static final int DAWDLED_EVENTS = 60;
  private static final int PAUSE_AT_EVENT = 3;
  private static final int PAUSE_MILLIS = 4_000;
  private static final int LEAVE_AT_EVENT = 6;

  private final ExecHandle handle;
  private final Transcript transcript;
  private final Order.Habit habit;
  private final Timeline timeline;
  private final AtomicLong lastNanos;
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private final CompletableFuture<Void> spoken = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;
  private int events;

  Reading(
      ExecHandle handle,
      Transcript transcript,
      Order.Habit habit,
      Timeline timeline,
      AtomicLong lastNanos) {
    this.handle = handle;
    this.transcript = transcript;
    this.habit = habit;
    this.timeline = timeline;
    this.lastNanos = lastNanos;
  }

  /** Begins to read. */
  Reading begin() {
    handle.events().subscribe().withSubscriber(this);
    return this;
  }

  /** Completes behind the end, fails with what broke the stream. */
  CompletableFuture<Void> over() {
    return over;
  }

  /** Completes with the first output, or with the end. */
  CompletableFuture<Void> spoken() {
    return spoken;
  }

  @Override
  public void onSubscribe(Flow.Subscription newcomer) {
    subscription = newcomer;
    newcomer.request(1);
  }

  @Override
  public void onNext(ExecEvent event) {
    events++;
    if (habit == Order.Habit.LISTENS) {
      timeline.heard(lastNanos.getAndSet(System.nanoTime()));
    }
    write(event);
    if (habit == Order.Habit.LEAVES && events == LEAVE_AT_EVENT) {
      handle.detach();
    }
    goOn();
  }

  private void write(ExecEvent event) {
    switch (event) {
      // Of a command without a process, ended or not known, only its end tells whether it ran.
      case ExecEvent.Started started -> transcript.started(started.pid() != 0);
      case ExecEvent.Output output -> {
        transcript.output(output.stderr(), output.offset(), output.data());
        spoken.complete(null);
      }
      case ExecEvent.Truncated hole ->
          transcript.truncated(
              hole.stream() == OutputStream.OUTPUT_STREAM_STDERR, hole.from(), hole.to());
      case ExecEvent.Exited exited -> transcript.ended(ending(exited.result()));
    }
  }

  static Ending ending(ExecResult result) {
    return new Ending.Exited(
        result.exitCode(),
        result.signal(),
        result.killReason(),
        result.message().getStdoutBytes(),
        result.message().getStderrBytes());
  }

  private void goOn() {
    Flow.Subscription open = subscription;
    int millis = waitMillis();
    if (open != null && millis == 0) {
      open.request(1);
    } else if (open != null) {
      Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
      later.execute(() -> open.request(1));
    }
  }

  private int waitMillis() {
    return switch (habit) {
      case DAWDLES -> events < DAWDLED_EVENTS ? DAWDLE_MILLIS : 0;
      case PAUSES -> events == PAUSE_AT_EVENT ? PAUSE_MILLIS : 0;
      case LISTENS, READS, LEAVES, FEEDS, KILLS, ASKS -> 0;
    };
  }

  @Override
  public void onError(Throwable failure) {
    spoken.complete(null);
    over.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    spoken.complete(null);
    over.complete(null);
  }
}
