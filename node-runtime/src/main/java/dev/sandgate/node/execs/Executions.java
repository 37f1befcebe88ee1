// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import dev.sandgate.node.execs.ExecRecord.Origin;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs commands: starts them once, follows them to their end, tells the journal. */
final class Executions {

  static final Logger LOG = LoggerFactory.getLogger(Executions.class);

  private final Journal journal;
  private final Records records;
  private final Timeouts timeouts = new Timeouts();
  private volatile boolean closed;

  Executions(Journal journal, Records records) {
    this.journal = journal;
    this.records = records;
  }

  /**
   * Starts a command, or finds the one that was started with this id. Fails with ALREADY_EXISTS when that
   * was another command, and with why it could not be started.
   */
  CompletableFuture<ExecRecord> start(LiveSandbox sandbox, String execId, Command command) {
    ExecRecord known = records.find(sandbox.id(), execId);
    if (known != null) {
      return same(known, command);
    }
    if (command.hasTerminal()) {
      sandbox.backend().require(Capability.TERMINAL);
    }
    dev.sandgate.spi.Sandbox running = sandbox.running();
    ExecRecord record = records.create(sandbox, execId, command);
    ExecRecord first = records.add(record);
    if (first != record) {
      return same(first, command);
    }
    journal.intent(record);
    Commands.launch(running, execId, command)
        .subscribe()
        .with(exec -> follow(record, exec), failure -> notStarted(record, running, failure));
    return record.started();
  }

  /** Takes a command back that ran before the node restarted. */
  void resume(Origin origin, dev.sandgate.spi.Sandbox running) {
    ExecRecord record = records.create(origin);
    if (records.add(record) == record) {
      attach(record, running, OutputOffsets.START);
    }
  }

  /** From here on nothing is recorded: what breaks now breaks because the node goes. */
  void close() {
    closed = true;
    timeouts.close();
  }

  private static CompletableFuture<ExecRecord> same(ExecRecord known, Command command) {
    if (!known.command().equals(command)) {
      return CompletableFuture.failedFuture(
          new SandgateException(
              ErrorCode.ALREADY_EXISTS,
              "exec_id",
              "exec_id: " + known.execId() + " was used for another command; use a new id",
              null));
    }
    return known.started();
  }

  private void follow(ExecRecord record, Exec exec) {
    follow(record, exec, record.command().getTimeoutMillis());
  }

  private void follow(ExecRecord record, Exec exec, long timeoutMillis) {
    record.running(exec);
    if (timeoutMillis > 0) {
      ScheduledFuture<?> timer =
          timeouts.after(timeoutMillis, () -> record.kill("COMMAND_TIMEOUT"));
      var _ = record.ended().thenRun(() -> timer.cancel(false));
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
      end(record, Results.of(record, exit));
    }

    @Override
    public void broken(Throwable failure) {
      if (closed) {
        return;
      }
      LOG.warn(
          "exec {} of {}: its events broke off", record.execId(), record.sandbox().id(), failure);
      if (record.result() == null && record.sandbox().isRunning()) {
        attach(record, record.sandbox().running(), produced(record));
      }
    }
  }

  private void attach(ExecRecord record, dev.sandgate.spi.Sandbox running, OutputOffsets from) {
    Uni<Exec> back = running.attach(record.execId(), from);
    back.subscribe()
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
    long passed = System.currentTimeMillis() - record.startedAt().getSeconds() * 1_000;
    return Math.max(1, timeout - passed);
  }

  private void gone(ExecRecord record, Throwable failure) {
    LOG.warn(
        "exec {} of {} is lost: {}", record.execId(), record.sandbox().id(), failure.getMessage());
    end(record, Results.unknown(record, "SANDBOX_LOST"));
  }

  void end(ExecRecord record, dev.sandgate.proto.v1.ExecResult result) {
    if (!closed && record.end(result)) {
      records.ended(record);
      var _ = journal.result(record).thenRun(() -> release(record));
    }
  }

  private void notStarted(ExecRecord record, dev.sandgate.spi.Sandbox running, Throwable failure) {
    SandgateException known = Failures.known(failure);
    if (known.code() == ErrorCode.ALREADY_EXISTS) {
      attach(record, running, OutputOffsets.START);
    } else if (known.code() == ErrorCode.SANDBOX_LOST) {
      end(record, Results.unknown(record, "SANDBOX_LOST"));
    } else {
      records.remove(record);
      journal.notStarted(record);
      record.started().completeExceptionally(known);
    }
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

  private static OutputOffsets produced(ExecRecord record) {
    return new OutputOffsets(
        record.output().produced(OutputStream.OUTPUT_STREAM_STDOUT),
        record.output().produced(OutputStream.OUTPUT_STREAM_STDERR));
  }
}
