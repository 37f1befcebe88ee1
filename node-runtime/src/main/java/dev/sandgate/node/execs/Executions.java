// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.execs.ExecRecord.Origin;
import dev.sandgate.node.faults.FaultPoint;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.latencies.Latencies.Operation;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.FsChanges;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs commands: starts them once, follows them to their end, tells the journal. */
final class Executions {

  static final Logger LOG = LoggerFactory.getLogger(Executions.class);

  private static final long FLUSH_MILLIS = 50;
  private static final int UNWRITTEN = 10_000;
  private static final String RESET = "SANDBOX_RESET";

  private final Journal journal;
  private final Records records;
  private final Recall recall;
  private final Latencies latencies;
  private final Timeouts timeouts = new Timeouts(System::nanoTime);
  private final ConcurrentLinkedQueue<ExecRecord> unwritten = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  Executions(Journal journal, Records records, Recall recall, Latencies latencies) {
    this.journal = journal;
    this.records = records;
    this.recall = recall;
    this.latencies = latencies;
  }

  /**
   * Starts a command, or finds the one that was started with this id. Fails with ALREADY_EXISTS when that
   * was another command, and with why it could not be started.
   */
  CompletableFuture<ExecRecord> start(LiveSandbox sandbox, String execId, Command command) {
    long begun = System.nanoTime();
    ExecRecord known = records.find(sandbox.id(), execId);
    if (known != null) {
      return same(known, command);
    }
    if (command.hasTerminal()) {
      sandbox.backend().require(Capability.TERMINAL);
    }
    long epoch = sandbox.epoch();
    dev.sandgate.spi.Sandbox running = sandbox.running();
    ExecRecord record = records.create(sandbox, execId, command);
    ExecRecord first = records.add(record);
    if (first != record) {
      return same(first, command);
    }
    measure(record, begun);
    var _ =
        journal
            .intent(record)
            .whenComplete(
                (_, failure) -> {
                  if (failure == null) {
                    spawn(record, running, epoch);
                  } else {
                    refused(record, Failures.known(failure));
                  }
                });
    return record.started();
  }

  private void measure(ExecRecord record, long begun) {
    var _ = record.started().thenRun(() -> latencies.done(Operation.EXEC_START, begun));
    var _ = record.ended().thenRun(() -> latencies.done(Operation.EXEC_TOTAL, begun));
  }

  private void spawn(ExecRecord record, dev.sandgate.spi.Sandbox running, long epoch) {
    FaultPoint.AFTER_INTENT.pass(record.execId());
    if (!record.sandbox().inEpoch(epoch, () -> launch(record, running))) {
      end(record, () -> Results.unknown(record, RESET));
    }
  }

  private void launch(ExecRecord record, dev.sandgate.spi.Sandbox running) {
    Uni.createFrom()
        .deferred(() -> Commands.launch(running, record.execId(), record.command()))
        .subscribe()
        .with(
            exec -> {
              FaultPoint.AFTER_SPAWN.pass(record.execId());
              follow(record, exec);
            },
            failure -> notStarted(record, running, failure));
  }

  /** It was not recorded, so it is not started: its id was used long ago, or the journal takes no more. */
  private void refused(ExecRecord record, SandgateException failure) {
    records.remove(record);
    if (failure.code() != ErrorCode.ALREADY_EXISTS) {
      record.started().completeExceptionally(failure);
      return;
    }
    var _ =
        recall
            .record(record.sandbox(), record.execId())
            .thenCompose(known -> same(known, record.command()))
            .whenComplete(
                (known, unknown) -> {
                  if (unknown == null) {
                    record.started().complete(known);
                  } else {
                    record.started().completeExceptionally(unknown);
                  }
                });
  }

  /** Records which files an ended command changed; a failure is logged, the command's result stands. */
  CompletableFuture<Void> changed(ExecRecord record, FsChanges changes) {
    return journal
        .changed(record, changes)
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                LOG.error("{}: what it changed could not be recorded", record, failure);
              }
            });
  }

  /** Takes a command back that ran before the node restarted; blocks. */
  void resume(Origin origin, dev.sandgate.spi.Sandbox running) {
    ExecRecord record = records.create(origin);
    if (records.add(record) == record) {
      attach(record, running, record.output().restore());
    }
  }

  /** Ends commands whose time is over, tries again to record what could not be; called about once a second. */
  void sweep() {
    timeouts.sweep();
    List<ExecRecord> again = List.copyOf(unwritten);
    unwritten.removeAll(again);
    for (ExecRecord record : again) {
      ExecResult result = Objects.requireNonNull(record.result());
      var _ = journal.result(record, result).whenComplete((_, failure) -> written(record, failure));
    }
  }

  /**
   * From here on nothing is recorded: what breaks now breaks because the node goes. What running commands have written
   * goes to the files; blocks.
   */
  void close() {
    closed = true;
    timeouts.close();
    for (ExecRecord record : records.running()) {
      record.stopTaking();
      record.output().settle();
    }
  }

  private static CompletableFuture<ExecRecord> same(ExecRecord known, Command command) {
    if (!whatRuns(known.command()).equals(whatRuns(command))) {
      return CompletableFuture.failedFuture(
          new SandgateException(
              ErrorCode.ALREADY_EXISTS,
              "exec_id",
              "exec_id: " + known.execId() + " was used for another command; use a new id",
              null));
    }
    return known.started();
  }

  /** Without the output policy: how its first caller wanted to read it is no part of what runs. */
  private static Command whatRuns(Command command) {
    return command.toBuilder().clearOutputPolicy().build();
  }

  private void follow(ExecRecord record, Exec exec) {
    follow(record, exec, record.command().getTimeoutMillis());
  }

  private void follow(ExecRecord record, Exec exec, long timeoutMillis) {
    boolean first = record.running(exec);
    if (first && timeoutMillis > 0) {
      Runnable tooLate = () -> record.kill(Results.TIMEOUT);
      var _ =
          record
              .ended()
              .thenRun(timeouts.limit(timeoutMillis, record.sandbox()::pausedNanos, tooLate));
    }
    Producer producer = new Producer(record, new Following(record));
    record.produceBy(producer);
    exec.events().subscribe().withSubscriber(producer);
  }

  /** What becomes of a command that runs. */
  private final class Following implements Producer.Outcome {
    private final ExecRecord record;

    Following(ExecRecord record) {
      this.record = record;
    }

    @Override
    public void exited(Exited exit) {
      end(record, () -> Results.of(record, exit));
    }

    @Override
    public void broken(Throwable failure) {
      if (closed) {
        return;
      }
      if (Set.of("SANDBOX_DELETED", RESET).contains(record.killReason())) {
        LOG.debug("{}: its events broke off", record, failure);
      } else {
        LOG.warn("{}: its events broke off: {}", record, failure.getMessage());
      }
      if (record.result() == null && record.sandbox().isRunning()) {
        attach(record, record.sandbox().running(), record.output().positions());
      }
    }

    @Override
    public void soon(Runnable action) {
      if (!closed) {
        var _ = timeouts.after(FLUSH_MILLIS, action);
      }
    }
  }

  private void attach(ExecRecord record, dev.sandgate.spi.Sandbox running, OutputOffsets from) {
    Commands.attach(running, record, from)
        .subscribe()
        .with(
            exec -> {
              follow(record, exec, remaining(record));
              askStdin(record, exec);
            },
            failure -> gone(record, failure));
  }

  /** Learns how much of stdin the guest has taken: an empty write changes nothing. */
  private static void askStdin(ExecRecord record, Exec exec) {
    if (record.command().getStdin()) {
      exec.write(0, ByteBuffer.allocate(0), false)
          .subscribe()
          .with(
              record::stdinTaken,
              failure -> LOG.debug("exec {}: its stdin is closed", record.execId(), failure));
    }
  }

  private static long remaining(ExecRecord record) {
    long timeout = record.command().getTimeoutMillis();
    if (timeout == 0) {
      return 0;
    }
    Timestamp started = record.startedAt();
    long millis = started.getSeconds() * 1_000 + started.getNanos() / 1_000_000;
    long paused = TimeUnit.NANOSECONDS.toMillis(record.sandbox().pausedNanos());
    long passed = System.currentTimeMillis() - millis - paused;
    return Math.max(1, timeout - passed);
  }

  private void gone(ExecRecord record, Throwable failure) {
    LOG.warn("{} is lost: {}", record, failure.getMessage());
    // The node may hear of its sandbox's end only after its commands' ends.
    boolean lost = Failures.known(failure).code() == ErrorCode.SANDBOX_LOST;
    String reason = record.sandbox().isRunning() && !lost ? "" : lostBecause(record);
    end(record, () -> Results.unknown(record, reason));
  }

  /**
   * Ends a command, once: its output goes to the files, its result to the journal, and then it is told. When the journal
   * fails it is told too, but the guest keeps the exit, from which it would be recorded after a crash.
   *
   * @return whether this call ends it, which is when {@link ExecRecord#ended} completes
   */
  boolean end(ExecRecord record, Supplier<ExecResult> result) {
    if (closed || !record.claimEnd()) {
      return false;
    }
    record.output().seal();
    if (record.output().isSmall()) {
      conclude(record, result.get());
      return true;
    }
    Blocking.background(
        "ending " + record,
        () -> {
          record.output().settle();
          conclude(record, result.get());
        });
    return true;
  }

  private void conclude(ExecRecord record, ExecResult result) {
    FaultPoint.AFTER_EXIT.pass(record.execId());
    var _ =
        journal
            .result(record, result)
            .whenComplete(
                (_, failure) -> {
                  if (closed && failure != null) {
                    return;
                  }
                  FaultPoint.AFTER_RESULT.pass(record.execId());
                  record.end(result, System.currentTimeMillis());
                  records.ended(record);
                  written(record, failure);
                });
  }

  private void written(ExecRecord record, @Nullable Throwable failure) {
    if (failure == null) {
      release(record);
      if (record.output().isSmall() && record.output().hasFiles()) {
        Blocking.background("deleting files of " + record, record.output()::dropFiles);
      }
    } else if (unwritten.size() < UNWRITTEN) {
      LOG.error("{}: its result could not be recorded, it is tried again", record, failure);
      unwritten.add(record);
    }
  }

  private void notStarted(ExecRecord record, dev.sandgate.spi.Sandbox running, Throwable failure) {
    SandgateException known = Failures.known(failure);
    if (known.code() == ErrorCode.ALREADY_EXISTS) {
      attach(record, running, OutputOffsets.START);
    } else if (known.code() == ErrorCode.SANDBOX_LOST) {
      end(record, () -> Results.unknown(record, lostBecause(record)));
    } else {
      records.remove(record);
      journal.notStarted(record);
      record.started().completeExceptionally(known);
    }
  }

  private static String lostBecause(ExecRecord record) {
    return record.killReason().isEmpty() ? "SANDBOX_LOST" : record.killReason();
  }

  /** The result is kept: the guest may forget. */
  private static void release(ExecRecord record) {
    Exec exec = record.released();
    if (exec != null) {
      exec.release()
          .subscribe()
          .with(_ -> {}, failure -> LOG.debug("exec {} not released", record.execId(), failure));
    }
  }
}
