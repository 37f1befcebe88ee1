// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes a command's events into its record and decides when the command may go on.
 *
 * <p>At most {@link #IN_FLIGHT} events are asked for at a time; one that was taken is asked for again when
 * the record has room.
 */
final class Producer implements Subscriber<ExecEvent> {

  private static final int IN_FLIGHT = 8;

  private final ExecRecord record;
  private final Outcome outcome;
  private final AtomicInteger owed = new AtomicInteger();
  private volatile @Nullable Subscription subscription;
  private final AtomicBoolean flushDue = new AtomicBoolean();
  private boolean exited;

  /** Is told how the events ended. */
  interface Outcome {
    /** The command ended and its output is complete. */
    void exited(Exited exit);

    /** The events broke off; nothing is known about the command. */
    void broken(Throwable failure);

    /** Runs something a little later. */
    void soon(Runnable action);
  }

  Producer(ExecRecord record, Outcome outcome) {
    this.record = record;
    this.outcome = outcome;
  }

  @Override
  public void onSubscribe(Subscription given) {
    subscription = given;
    given.request(IN_FLIGHT);
  }

  @Override
  public void onNext(ExecEvent event) {
    switch (event) {
      case ExecEvent.Output written -> taken(written);
      case Exited exit -> {
        exited = true;
        record.output().end(exit.end().stdout(), exit.end().stderr());
        outcome.exited(exit);
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (!exited) {
      outcome.broken(failure);
    }
  }

  @Override
  public void onComplete() {
    if (!exited) {
      outcome.broken(
          new SandgateException(
              ErrorCode.SANDBOX_LOST, "the command's events ended without its exit"));
    }
  }

  /** Called when a reader moved on or a file was written: the command may go on if there is room. */
  void advanced() {
    if (owed.get() > 0 && hasRoom()) {
      int count = owed.getAndSet(0);
      Subscription asked = subscription;
      if (count > 0 && asked != null) {
        asked.request(count);
      }
    }
  }

  private void taken(ExecEvent.Output written) {
    record.output().append(written);
    owed.incrementAndGet();
    spool(false);
    if (flushDue.compareAndSet(false, true)) {
      outcome.soon(this::flush);
    }
    record.wake();
    advanced();
  }

  private boolean hasRoom() {
    return record
        .output()
        .hasRoom(
            record.slowest(OutputStream.OUTPUT_STREAM_STDOUT),
            record.slowest(OutputStream.OUTPUT_STREAM_STDERR));
  }

  /** Hears nothing more; the command goes on. */
  void stop() {
    Subscription given = subscription;
    if (given != null) {
      given.cancel();
    }
  }

  /** What a command that still runs wrote a while ago survives the end of the process. */
  private void flush() {
    flushDue.set(false);
    spool(true);
  }

  private void spool(boolean everything) {
    if (record.output().startSpooling(everything)) {
      Blocking.start(this::write).exceptionally(this::full);
    }
  }

  private boolean write() throws IOException {
    record.output().spool();
    spool(false);
    advanced();
    return true;
  }

  private boolean full(Throwable failure) {
    Executions.LOG.error("{}: its output cannot be kept from here on", record, failure);
    advanced();
    return false;
  }
}
