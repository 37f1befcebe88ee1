// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.function;

import com.google.protobuf.ByteString;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.output.Console;
import dev.sandgate.client.Functions.Called;
import dev.sandgate.proto.v1.FunctionRun;
import dev.sandgate.proto.v1.FunctionVerdict;
import dev.sandgate.proto.v1.InvokeResponse;
import io.smallrye.mutiny.Multi;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Results on the console.
 *
 * @param console where to
 */
record Shown(Console console) {

  private static final String PREFIX = "FUNCTION_VERDICT_";

  /** The result of a single call: what it wrote, or all of it as JSON; the exit code. */
  int one(InvokeResponse response) {
    if (console.json()) {
      console.json(shown(response));
      return exitCode(response);
    }
    runs(response).forEach(Shown::copy);
    if (response.getVerdict() != FunctionVerdict.FUNCTION_VERDICT_ACCEPTED) {
      console.note("sandgate: " + verdict(response.getVerdict()));
    }
    return exitCode(response);
  }

  private static Stream<FunctionRun> runs(InvokeResponse response) {
    Stream<FunctionRun> runs = response.getRunsList().stream();
    return response.hasCompile() ? Stream.concat(Stream.of(response.getCompile()), runs) : runs;
  }

  @SuppressWarnings("SystemOut") // bytes of the program are its own, not text
  private static void copy(FunctionRun run) {
    System.out.writeBytes(run.getStdout().toByteArray());
    System.out.flush();
    System.err.writeBytes(run.getStderr().toByteArray());
    System.err.flush();
  }

  private static int exitCode(InvokeResponse response) {
    return runs(response)
        .filter(run -> run.getVerdict() != FunctionVerdict.FUNCTION_VERDICT_ACCEPTED)
        .findFirst()
        .map(run -> run.getExitCode() == 0 ? ExitCode.FAILURE : run.getExitCode())
        .orElse(ExitCode.OK);
  }

  /** A line per call as it ends. */
  int many(Multi<Called> calls, int count) {
    List<Integer> codes = calls.map(this::told).collect().asList().await().indefinitely();
    long good = codes.stream().filter(code -> code == 0).count();
    console.note("sandgate: " + good + " of " + count + " were accepted");
    return good == count ? ExitCode.OK : ExitCode.FAILURE;
  }

  private int told(Called called) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("index", called.index());
    if (called.response().isEmpty()) {
      called.failure().ifPresent(failure -> shown.putAll(Failures.details(failure)));
      line(shown, called.failure().map(Throwable::getMessage).orElse(""));
      return ExitCode.PLATFORM;
    }
    InvokeResponse response = called.response().get();
    shown.putAll(shown(response));
    line(shown, verdict(response.getVerdict()) + "  " + text(response));
    return exitCode(response);
  }

  private void line(Map<String, Object> shown, String text) {
    if (console.json()) {
      console.json(shown);
    } else {
      console.line(shown.get("index") + "  " + text);
    }
  }

  private static String text(InvokeResponse response) {
    StringBuilder text = new StringBuilder();
    runs(response)
        .forEach(
            run -> text.append(run.getStdout().toStringUtf8() + run.getStderr().toStringUtf8()));
    return text.toString().strip().replace("\n", "\n    ");
  }

  private static Map<String, Object> shown(InvokeResponse response) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("verdict", verdict(response.getVerdict()));
    shown.put("exit_code", exitCode(response));
    if (response.hasCompile()) {
      shown.put("compile", shown(response.getCompile()));
    }
    List<Map<String, Object>> runs = new ArrayList<>();
    response.getRunsList().forEach(run -> runs.add(shown(run)));
    shown.put("runs", runs);
    shown.put("worker", response.getWorker());
    shown.put("node_id", response.getNodeId());
    shown.put("warm", response.getWarm());
    shown.put("waited_micros", response.getWaitedMicros());
    return shown;
  }

  private static Map<String, Object> shown(FunctionRun run) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("verdict", verdict(run.getVerdict()));
    shown.put("exit_code", run.getExitCode());
    shown.put("signal", run.getSignal());
    shown.put("timed_out", run.getTimedOut());
    shown.put("out_of_memory", run.getOutOfMemory());
    shown.put("stdout", text(run.getStdout()));
    shown.put("stderr", text(run.getStderr()));
    shown.put("stdout_bytes", run.getStdoutBytes());
    shown.put("stderr_bytes", run.getStderrBytes());
    shown.put("stdout_truncated", run.getStdoutTruncated());
    shown.put("stderr_truncated", run.getStderrTruncated());
    shown.put("wall_micros", run.getWallMicros());
    shown.put("cpu_micros", run.getCpuMicros());
    shown.put("peak_memory_bytes", run.getPeakMemoryBytes());
    return shown;
  }

  private static String text(ByteString bytes) {
    return bytes.toStringUtf8();
  }

  private static String verdict(FunctionVerdict verdict) {
    return verdict.name().replace(PREFIX, "").toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
