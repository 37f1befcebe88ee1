// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import com.google.protobuf.ByteString;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Json;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.proto.v1.Command;
import io.smallrye.mutiny.Uni;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs a command to its end and prints its result as JSON. */
final class ExecJson {

  private ExecJson() {}

  static int run(Execs execs, String id, Command command, Console console) {
    return shown(execs.run(id, command), console);
  }

  /** Says, too, which files changed meanwhile. */
  static int runWithChanges(Execs execs, String id, Command command, Console console) {
    return shown(execs.runReportingChanges(id, command), console);
  }

  private static int shown(Uni<ExecResult> running, Console console) {
    ExecResult result = running.await().indefinitely();
    console.json(shown(result));
    return result.exitCode();
  }

  /** A result's fields. */
  static Map<String, Object> shown(ExecResult result) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("exec_id", result.message().getExecId());
    shown.put("exit_code", result.exitCode());
    shown.put("signal", result.signal());
    shown.put("kill_reason", result.killReason());
    shown.put("timed_out", result.timedOut());
    shown.put("out_of_memory", result.message().getOutOfMemory());
    put(shown, "stdout", result.message().getStdout());
    put(shown, "stderr", result.message().getStderr());
    shown.put("truncated", result.truncated());
    shown.put("stdout_truncated", result.message().getStdoutTruncated());
    shown.put("stderr_truncated", result.message().getStderrTruncated());
    shown.put("stdout_bytes", result.message().getStdoutBytes());
    shown.put("stderr_bytes", result.message().getStderrBytes());
    shown.put("wall_micros", result.message().getWallMicros());
    shown.put("cpu_micros", result.message().getCpuMicros());
    shown.put("peak_memory_bytes", result.message().getPeakMemoryBytes());
    if (result.message().hasStorageReadBytes()) {
      shown.put("storage_read_bytes", result.message().getStorageReadBytes());
    }
    if (result.message().hasStorageWrittenBytes()) {
      shown.put("storage_written_bytes", result.message().getStorageWrittenBytes());
    }
    if (result.message().hasFsChanges()) {
      shown.put("fs_changes", Json.of(result.message().getFsChanges()));
    }
    return shown;
  }

  // What is no UTF-8 is given in full as Base64 beside the text.
  private static void put(Map<String, Object> shown, String name, ByteString bytes) {
    shown.put(name, bytes.toStringUtf8());
    if (!bytes.isValidUtf8()) {
      shown.put(name + "_base64", Base64.getEncoder().encodeToString(bytes.toByteArray()));
    }
  }
}
