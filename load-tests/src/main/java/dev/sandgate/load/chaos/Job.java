// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.load.chaos.check.Content;
import dev.sandgate.load.chaos.check.Ending;
import dev.sandgate.load.chaos.check.Plan;
import dev.sandgate.load.chaos.check.Transcript;
import dev.sandgate.load.chaos.seed.Order;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputStream;
import io.smallrye.mutiny.TimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows one command to its end, whatever breaks on the way: asks for it under its id until it is known to run, attaches where
 * it was afterwards, and asks what became of it when a stream says nothing more. Blocks a virtual thread.
 */
final class Job {

  private static final int CHUNK_BYTES = 3_001;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Set<String> GONE =
      Set.of("SANDBOX_LOST", "NOT_FOUND", "FAILED_PRECONDITION", "LEASE_EXPIRED");
  private static final Set<String> LATER =
      Set.of("RESOURCE_EXHAUSTED", "BACKEND_UNAVAILABLE", "DEADLINE_EXCEEDED");

  private final Order order;
  private final Supplier<Execs> execs;
  private final Setting setting;
  private final Transcript transcript;
  private final AtomicLong lastNanos = new AtomicLong(System.nanoTime());
  private boolean left;

  /**
   * What jobs share.
   *
   * @param timeline is told what streams do
   * @param tally counts
   * @param deadlineNanos when to give up
   */
  record Setting(Timeline timeline, Tally tally, long deadlineNanos) {

    long leftNanos() {
      return Math.max(1, deadlineNanos - System.nanoTime());
    }

    boolean over() {
      return System.nanoTime() >= deadlineNanos;
    }
  }

  /** The supplier gives the view of the sandbox's commands of any client. */
  Job(Order order, Supplier<Execs> execs, Setting setting) {
    this.order = order;
    this.execs = execs;
    this.setting = setting;
    this.transcript = new Transcript(order.plan());
  }

  /** Starts the command and follows it. */
  Transcript follow() {
    return untilEnded(this::begin);
  }

  /** Reads all of a command that others started. */
  Transcript readAgain() {
    return untilEnded(this::attach);
  }

  private Transcript untilEnded(Runnable first) {
    while (transcript.ending() == null && !setting.over()) {
      try {
        if (transcript.known()) {
          attach();
        } else {
          first.run();
        }
      } catch (SandgateClientException e) {
        settle(e);
      } catch (TimeoutException e) {
        setting.tally().add("waits_given_up");
      }
    }
    return transcript;
  }

  private Plan plan() {
    return order.plan();
  }

  private void begin() {
    if (order.habit() == Order.Habit.ASKS) {
      ask();
    } else {
      read(execs.get().start(plan().execId(), order.command()).await().atMost(patience()));
    }
  }

  private Duration patience() {
    return Duration.ofNanos(setting.leftNanos());
  }

  private void ask() {
    ExecResult result =
        execs.get().run(plan().execId(), order.command()).await().atMost(patience());
    transcript.started(true);
    deliver(result, OutputStream.OUTPUT_STREAM_STDOUT, result.stdout());
    deliver(result, OutputStream.OUTPUT_STREAM_STDERR, result.stderr());
    transcript.ended(Reading.ending(result));
  }

  private void deliver(ExecResult result, OutputStream stream, byte[] bytes) {
    boolean error = stream == OutputStream.OUTPUT_STREAM_STDERR;
    int done = 0;
    for (ExecTruncated hole : result.message().getTruncatedList()) {
      if (hole.getStream() == stream) {
        int head = (int) hole.getFrom();
        transcript.output(error, 0, ByteBuffer.wrap(bytes, 0, head));
        transcript.truncated(error, hole.getFrom(), hole.getTo());
        done = head;
      }
    }
    if (done < bytes.length) {
      long position = error ? transcript.stderrPosition() : transcript.stdoutPosition();
      transcript.output(error, position, ByteBuffer.wrap(bytes, done, bytes.length - done));
    }
  }

  private void attach() {
    setting.tally().add("attached");
    read(
        execs
            .get()
            .attach(plan().execId(), transcript.stdoutPosition(), transcript.stderrPosition())
            .await()
            .atMost(patience()));
  }

  private void read(ExecHandle handle) {
    Order.Habit habit = left ? Order.Habit.READS : order.habit();
    left |= habit == Order.Habit.LEAVES;
    Reading reading = new Reading(handle, transcript, habit, setting.timeline(), lastNanos).begin();
    act(handle, reading);
    try {
      reading.over().get(setting.leftNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      broken(e.getCause());
    } catch (java.util.concurrent.TimeoutException e) {
      setting.tally().add("reads_given_up");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      surprise("the run was broken off");
    } finally {
      handle.detach();
    }
  }

  private void broken(@Nullable Throwable cause) {
    if (cause instanceof SandgateClientException known) {
      throw known;
    }
    surprise(String.valueOf(cause));
  }

  private void act(ExecHandle handle, Reading reading) {
    switch (order.habit()) {
      case FEEDS -> Thread.ofVirtual().name("feeds").start(() -> feed(handle, reading));
      case KILLS -> Thread.ofVirtual().name("kills").start(() -> kill(handle, reading));
      case LISTENS, READS, DAWDLES, PAUSES, LEAVES, ASKS -> {}
    }
  }

  private void feed(ExecHandle handle, Reading reading) {
    Content stdin = plan().stdout();
    int length = (int) stdin.length();
    try {
      for (int at = 0; at < length && !reading.over().isDone(); at += CHUNK_BYTES) {
        ByteBuffer chunk = stdin.slice(at, Math.min(length, at + CHUNK_BYTES));
        handle.write(chunk).await().atMost(patience());
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      handle.closeStdin().await().atMost(patience());
    } catch (SandgateClientException | TimeoutException e) {
      setting.tally().add("writes_broken_off"); // what comes of it the reading tells
    }
  }

  private void kill(ExecHandle handle, Reading reading) {
    if (transcript.stdoutPosition() == 0) {
      reading.spoken().join();
    }
    while (!reading.over().isDone() && !setting.over()) {
      try {
        handle.kill().await().atMost(patience());
      } catch (SandgateClientException | TimeoutException e) {
        setting.tally().add("kills_asked_again");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** What a failure means: an end, or that it goes on. */
  private void settle(SandgateClientException failure) {
    if (left && failure.getMessage().equals("detached")) {
      return;
    }
    if (failure.outcomeUnknown() || failure.unreachable()) {
      look();
    } else if (LATER.contains(failure.code())) {
      setting.tally().add("asked_later");
      LockSupport.parkNanos(PAUSE_NANOS);
    } else if (GONE.contains(failure.code())) {
      transcript.ended(new Ending.Lost(failure.code()));
    } else {
      surprise(failure.code() + ": " + failure.getMessage());
    }
  }

  private void surprise(String what) {
    transcript.ended(new Ending.Surprise(what));
  }

  /** Asks the platform what it knows of the command. */
  private void look() {
    try {
      Exec exec = execs.get().get(plan().execId()).await().atMost(patience());
      if (exec.hasResult() && isUnknown(exec)) {
        transcript.ended(new Ending.Unknown(exec.getResult().getKillReason()));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    } catch (SandgateClientException e) {
      lookedInVain(e);
    }
  }

  private void lookedInVain(SandgateClientException failure) {
    boolean never = failure.code().equals("NOT_FOUND") && failure.field().equals("exec_id");
    if (never && transcript.known()) {
      surprise("forgotten after it was acknowledged");
    } else if (never) {
      setting.tally().add("never_arrived");
    } else if (failure.outcomeUnknown()
        || failure.unreachable()
        || LATER.contains(failure.code())) {
      LockSupport.parkNanos(PAUSE_NANOS);
    } else if (GONE.contains(failure.code())) {
      transcript.ended(new Ending.Lost(failure.code()));
    } else {
      surprise(failure.code() + ": " + failure.getMessage());
    }
  }

  private static boolean isUnknown(Exec exec) {
    return switch (exec.getResult().getOutcome()) {
      case EXEC_OUTCOME_EXITED, EXEC_OUTCOME_SIGNALLED -> false;
      case EXEC_OUTCOME_UNKNOWN, EXEC_OUTCOME_UNSPECIFIED, UNRECOGNIZED -> true;
    };
  }
}
