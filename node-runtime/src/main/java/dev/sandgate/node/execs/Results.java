// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.ExecEvent.Exited;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes results: what the guest reported, or that nothing is known. */
final class Results {

  static final String TIMEOUT = "COMMAND_TIMEOUT";

  private Results() {}

  static ExecResult of(ExecRecord record, Exited exit) {
    boolean signalled = exit.signal() != 0;
    String killReason = signalled || inSession(record) ? record.killReason() : "";
    ExecResult.Builder result =
        ExecResult.newBuilder()
            .setExecId(record.execId())
            .setOutcome(
                signalled ? ExecOutcome.EXEC_OUTCOME_SIGNALLED : ExecOutcome.EXEC_OUTCOME_EXITED)
            .setExitCode(signalled ? 128 + exit.signal() : exit.exitCode())
            .setSignal(exit.signal())
            .setKillReason(killReason)
            .setTimedOut(killReason.equals(TIMEOUT))
            .setOutOfMemory(exit.outOfMemory())
            .setStdoutBytes(exit.end().stdout())
            .setStderrBytes(exit.end().stderr())
            .setWallMicros(micros(exit.usage().wall()))
            .setCpuMicros(micros(exit.usage().cpu()))
            .setPeakMemoryBytes(exit.usage().peakMemoryBytes());
    if (exit.usage().readBytes() != ExecUsage.UNKNOWN) {
      result.setStorageReadBytes(exit.usage().readBytes());
    }
    if (exit.usage().writtenBytes() != ExecUsage.UNKNOWN) {
      result.setStorageWrittenBytes(exit.usage().writtenBytes());
    }
    return missing(result, record.output().gaps());
  }

  /** Where a shell that lives on says how what was killed ended. */
  private static boolean inSession(ExecRecord record) {
    return !record.command().getSession().isEmpty();
  }

  /** Whether it ran, and how it ended, is not known; never to be read as success. */
  static ExecResult unknown(ExecRecord record, String killReason) {
    ExecResult.Builder result =
        ExecResult.newBuilder()
            .setExecId(record.execId())
            .setOutcome(ExecOutcome.EXEC_OUTCOME_UNKNOWN)
            .setExitCode(-1)
            .setKillReason(killReason)
            .setStdoutBytes(record.output().produced(OutputStream.OUTPUT_STREAM_STDOUT))
            .setStderrBytes(record.output().produced(OutputStream.OUTPUT_STREAM_STDERR));
    return missing(result, record.output().gaps());
  }

  /** A result with another account of what is missing of the output. */
  static ExecResult missing(ExecResult result, List<ExecTruncated> gaps) {
    return missing(result.toBuilder(), gaps);
  }

  private static ExecResult missing(ExecResult.Builder result, List<ExecTruncated> gaps) {
    return result
        .clearTruncated()
        .addAllTruncated(gaps)
        .setStdoutTruncated(has(gaps, OutputStream.OUTPUT_STREAM_STDOUT))
        .setStderrTruncated(has(gaps, OutputStream.OUTPUT_STREAM_STDERR))
        .build();
  }

  private static boolean has(List<ExecTruncated> gaps, OutputStream stream) {
    return gaps.stream().anyMatch(gap -> gap.getStream() == stream);
  }

  private static long micros(Duration duration) {
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }
}
