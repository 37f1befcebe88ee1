// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.trajectory.Steps;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.FsChanges;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.proto.v1.TrajectoryEntry;
import java.util.concurrent.CompletableFuture;

/** Where the node writes what it is about to do with a command, and what came of it. */
interface Journal {

  /**
   * A command is about to be started; completes when that survives a crash of the node, and only then it may be started.
   * Fails with ALREADY_EXISTS when the id was used before.
   */
  CompletableFuture<Void> intent(ExecRecord record);

  /** A command could not be started: nothing ran. */
  void notStarted(ExecRecord record);

  /** A command ended; completes when its result survives a crash of the node, and only then it may be told. */
  CompletableFuture<Void> result(ExecRecord record, ExecResult result);

  /** It is known which files a command changed; completes when that survives a crash of the node. */
  CompletableFuture<Void> changed(ExecRecord record, FsChanges changes);

  /** Writes to the table of commands. */
  static Journal of(Steps steps) {
    return new Journal() {
      @Override
      public CompletableFuture<Void> intent(ExecRecord record) {
        return steps.begin(entry(record));
      }

      @Override
      public void notStarted(ExecRecord record) {
        Blocking.report("taking back " + record, steps.drop(record.sequence()));
      }

      @Override
      public CompletableFuture<Void> result(ExecRecord record, ExecResult result) {
        return steps.end(record.sequence(), withOutput(record, result));
      }

      @Override
      public CompletableFuture<Void> changed(ExecRecord record, FsChanges changes) {
        return steps.changed(record.sequence(), changes);
      }
    };
  }

  /** Writes nothing: for measuring what writing costs. */
  static Journal off() {
    return new Journal() {
      @Override
      public CompletableFuture<Void> intent(ExecRecord record) {
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public void notStarted(ExecRecord record) {}

      @Override
      public CompletableFuture<Void> result(ExecRecord record, ExecResult result) {
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public CompletableFuture<Void> changed(ExecRecord record, FsChanges changes) {
        return CompletableFuture.completedFuture(null);
      }
    };
  }

  private static TrajectoryEntry entry(ExecRecord record) {
    return TrajectoryEntry.newBuilder()
        .setSequence(record.sequence())
        .setSandboxId(record.sandbox().id())
        .setExecId(record.execId())
        .putAllLabels(record.sandbox().labels())
        .putAllLabels(record.command().getLabelsMap())
        .setExec(
            Exec.newBuilder()
                .setExecId(record.execId())
                .setSandboxId(record.sandbox().id())
                .setCommand(record.command())
                .setStartedAt(record.startedAt()))
        .build();
  }

  private static ExecResult withOutput(ExecRecord record, ExecResult result) {
    Output output = record.output();
    if (!output.isSmall()) {
      return result;
    }
    ByteString stdout = output.small(OutputStream.OUTPUT_STREAM_STDOUT);
    ByteString stderr = output.small(OutputStream.OUTPUT_STREAM_STDERR);
    return result.toBuilder().setStdout(stdout).setStderr(stderr).build();
  }
}
