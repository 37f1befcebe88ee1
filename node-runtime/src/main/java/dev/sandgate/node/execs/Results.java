// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.ExecEvent.Exited;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Makes results: what the guest reported, or that nothing is known. */
final class Results {

  private Results() {}

  static ExecResult of(ExecRecord record, Exited exit) {
    boolean signalled = exit.signal() != 0;
    return ExecResult.newBuilder()
        .setExecId(record.execId())
        .setOutcome(
            signalled ? ExecOutcome.EXEC_OUTCOME_SIGNALLED : ExecOutcome.EXEC_OUTCOME_EXITED)
        .setExitCode(signalled ? 128 + exit.signal() : exit.exitCode())
        .setSignal(exit.signal())
        .setKillReason(signalled || inSession(record) ? record.killReason() : "")
        .setOutOfMemory(exit.outOfMemory())
        .setStdoutBytes(exit.end().stdout())
        .setStderrBytes(exit.end().stderr())
        .addAllTruncated(record.output().gaps())
        .setWallMicros(micros(exit.usage().wall()))
        .setCpuMicros(micros(exit.usage().cpu()))
        .setPeakMemoryBytes(exit.usage().peakMemoryBytes())
        .build();
  }

  /** Where a shell that lives on says how what was killed ended. */
  private static boolean inSession(ExecRecord record) {
    return !record.command().getSession().isEmpty();
  }

  /** Whether it ran, and how it ended, is not known; never to be read as success. */
  static ExecResult unknown(ExecRecord record, String killReason) {
    return ExecResult.newBuilder()
        .setExecId(record.execId())
        .setOutcome(ExecOutcome.EXEC_OUTCOME_UNKNOWN)
        .setExitCode(-1)
        .setKillReason(killReason)
        .setStdoutBytes(record.output().produced(OutputStream.OUTPUT_STREAM_STDOUT))
        .setStderrBytes(record.output().produced(OutputStream.OUTPUT_STREAM_STDERR))
        .addAllTruncated(record.output().gaps())
        .build();
  }

  private static long micros(Duration duration) {
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }
}
