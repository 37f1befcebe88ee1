// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.functions;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.FunctionRun;
import dev.sandgate.proto.v1.FunctionVerdict;
import dev.sandgate.proto.v1.InvokeResponse;
import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.FunctionResult;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.FunctionResult.Verdict;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Results as callers see them. */
final class Answers {

  private Answers() {}

  static InvokeResponse shown(String invocationId, String nodeId, FunctionResult result) {
    InvokeResponse.Builder answer =
        InvokeResponse.newBuilder()
            .setInvocationId(invocationId)
            .setVerdict(shown(result.verdict()))
            .setWorker(result.worker())
            .setNodeId(nodeId)
            .setWaitedMicros(micros(result.waited()))
            .setWarm(result.warm());
    result.compile().ifPresent(compile -> answer.setCompile(shown(compile)));
    result.runs().forEach(run -> answer.addRuns(shown(run)));
    return answer.build();
  }

  private static FunctionRun shown(Run run) {
    ExecUsage usage = run.usage();
    FunctionRun.Builder shown =
        FunctionRun.newBuilder()
            .setVerdict(shown(run.verdict()))
            .setExitCode(run.exitCode())
            .setSignal(run.signal())
            .setTimedOut(run.timedOut())
            .setOutOfMemory(run.outOfMemory())
            .setStdout(ByteString.copyFrom(run.stdout().head().duplicate()))
            .setStderr(ByteString.copyFrom(run.stderr().head().duplicate()))
            .setStdoutBytes(run.stdout().bytes())
            .setStderrBytes(run.stderr().bytes())
            .setStdoutTruncated(run.stdout().truncated())
            .setStderrTruncated(run.stderr().truncated())
            .setWallMicros(micros(usage.wall()))
            .setCpuMicros(micros(usage.cpu()))
            .setPeakMemoryBytes(usage.peakMemoryBytes());
    if (usage.readBytes() != ExecUsage.UNKNOWN) {
      shown.setStorageReadBytes(usage.readBytes());
    }
    if (usage.writtenBytes() != ExecUsage.UNKNOWN) {
      shown.setStorageWrittenBytes(usage.writtenBytes());
    }
    return shown.build();
  }

  private static long micros(Duration time) {
    return TimeUnit.NANOSECONDS.toMicros(time.toNanos());
  }

  private static FunctionVerdict shown(Verdict verdict) {
    return switch (verdict) {
      case ACCEPTED -> FunctionVerdict.FUNCTION_VERDICT_ACCEPTED;
      case WRONG_ANSWER -> FunctionVerdict.FUNCTION_VERDICT_WRONG_ANSWER;
      case TIME_LIMIT -> FunctionVerdict.FUNCTION_VERDICT_TIME_LIMIT;
      case MEMORY_LIMIT -> FunctionVerdict.FUNCTION_VERDICT_MEMORY_LIMIT;
      case COMPILE_ERROR -> FunctionVerdict.FUNCTION_VERDICT_COMPILE_ERROR;
      case RUNTIME_ERROR -> FunctionVerdict.FUNCTION_VERDICT_RUNTIME_ERROR;
    };
  }
}
