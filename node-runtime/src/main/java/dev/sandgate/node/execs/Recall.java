// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import dev.sandgate.node.execs.ExecRecord.Origin;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.trajectory.Step;
import dev.sandgate.node.trajectory.Steps;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.SandgateException;
import java.util.concurrent.CompletableFuture;

/** Brings recorded commands back into memory: after a restart, or when they are asked for long after their end. */
final class Recall {

  private final Steps steps;
  private final Records records;

  Recall(Steps steps, Records records) {
    this.steps = steps;
    this.records = records;
  }

  /** The record of a command that is not in memory. NOT_FOUND. */
  CompletableFuture<ExecRecord> record(LiveSandbox sandbox, String execId) {
    return Blocking.start(
        () ->
            steps
                .find(sandbox.id(), execId)
                .map(step -> ended(sandbox, step))
                .orElseThrow(() -> unknown(sandbox.id(), execId)));
  }

  /** The record of a command whose result is known, or that nobody can tell about any more; blocks. */
  ExecRecord ended(LiveSandbox sandbox, Step step) {
    ExecRecord record = records.create(origin(sandbox, step));
    ExecRecord first = records.add(record);
    if (first != record) {
      return first;
    }
    if (!step.ended()) {
      record.output().restore();
      return record;
    }
    ExecResult result = step.entry().getExec().getResult();
    output(record.output(), result);
    ExecResult bare = result.toBuilder().clearStdout().clearStderr().clearFsChanges().build();
    if (record.claimEnd()) {
      record.end(Results.missing(bare, record.output().gaps()), step.endedMillis());
      records.ended(record);
    }
    return record;
  }

  static Origin origin(LiveSandbox sandbox, Step step) {
    Exec exec = step.entry().getExec();
    return new Origin(
        sandbox,
        exec.getExecId(),
        exec.getCommand(),
        step.entry().getSequence(),
        exec.getStartedAt());
  }

  private static void output(Output output, ExecResult result) {
    boolean whole =
        result.getStdout().size() == result.getStdoutBytes()
            && result.getStderr().size() == result.getStderrBytes();
    if (whole) {
      output.discardFiles();
      output.append(all(ExecEvent.Stream.STDOUT, result.getStdout()));
      output.append(all(ExecEvent.Stream.STDERR, result.getStderr()));
    } else {
      output.restore();
    }
    output.end(result.getStdoutBytes(), result.getStderrBytes());
    if (!output.isSmall()) {
      output.settle();
    }
  }

  private static ExecEvent.Output all(ExecEvent.Stream stream, ByteString bytes) {
    return new ExecEvent.Output(stream, 0, bytes.asReadOnlyByteBuffer());
  }

  static SandgateException unknown(String sandboxId, String execId) {
    return new SandgateException(
        ErrorCode.NOT_FOUND,
        "exec_id",
        "exec_id: sandbox %s knows no command %s".formatted(sandboxId, execId),
        null);
  }
}
