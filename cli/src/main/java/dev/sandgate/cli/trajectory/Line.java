// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.trajectory;

import com.google.protobuf.ByteString;
import dev.sandgate.cli.output.Json;
import dev.sandgate.cli.output.Names;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FsChanges;
import dev.sandgate.proto.v1.TrajectoryEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An entry as a line: of a table, or of JSON. */
final class Line {

  static final List<String> HEADER =
      List.of("SEQUENCE", "SANDBOX", "EXEC", "OUTCOME", "CODE", "WALL", "COMMAND");

  private static final int SHOWN = 60;

  private Line() {}

  static List<String> cells(TrajectoryEntry entry) {
    Exec exec = entry.getExec();
    ExecResult result = exec.getResult();
    return List.of(
        Long.toString(entry.getSequence()),
        entry.getSandboxId(),
        entry.getExecId(),
        outcome(exec),
        exec.hasResult() ? Integer.toString(result.getExitCode()) : "-",
        exec.hasResult() ? Sizes.show(Duration.ofNanos(result.getWallMicros() * 1_000)) : "-",
        shown(entry));
  }

  /** The command on one short line. */
  static String shown(TrajectoryEntry entry) {
    return shortened(command(entry.getExec().getCommand()));
  }

  static final List<String> CHANGES_HEADER = List.of("SEQUENCE", "EXEC", "CHANGE", "PATH");

  /** A line for each file that the command is known to have changed. */
  static List<List<String>> changes(TrajectoryEntry entry) {
    FsChanges changes = entry.getExec().getResult().getFsChanges();
    List<List<String>> lines = new ArrayList<>();
    for (FileChange change : changes.getChangesList()) {
      lines.add(line(entry, Names.of(change.getKind()), change.getPath()));
    }
    if (changes.getTruncated()) {
      int all = changes.getAdded() + changes.getModified() + changes.getRemoved();
      int missing = all - changes.getChangesCount();
      lines.add(line(entry, "TRUNCATED", all == 0 ? "too many to compare" : missing + " more"));
    }
    return lines;
  }

  private static List<String> line(TrajectoryEntry entry, String change, String path) {
    return List.of(Long.toString(entry.getSequence()), entry.getExecId(), change, path);
  }

  static Map<String, Object> json(TrajectoryEntry entry) {
    Exec exec = entry.getExec();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("sequence", entry.getSequence());
    line.put("revision", entry.getRevision());
    line.put("sandbox_id", entry.getSandboxId());
    line.put("exec_id", entry.getExecId());
    line.put("labels", entry.getLabelsMap());
    line.put("command", Json.of(exec.getCommand()));
    line.put("started_at", Json.of(exec.getStartedAt()));
    line.put("outcome", outcome(exec));
    if (exec.hasResult()) {
      result(line, exec.getResult());
    }
    return line;
  }

  private static void result(Map<String, Object> line, ExecResult result) {
    line.put("exit_code", result.getExitCode());
    line.put("signal", result.getSignal());
    line.put("kill_reason", result.getKillReason());
    line.put("timed_out", result.getTimedOut());
    line.put("out_of_memory", result.getOutOfMemory());
    line.put("stdout_bytes", result.getStdoutBytes());
    line.put("stderr_bytes", result.getStderrBytes());
    line.put("stdout_truncated", result.getStdoutTruncated());
    line.put("stderr_truncated", result.getStderrTruncated());
    output(line, "stdout", result.getStdout(), result.getStdoutBytes());
    output(line, "stderr", result.getStderr(), result.getStderrBytes());
    line.put("wall_micros", result.getWallMicros());
    line.put("cpu_micros", result.getCpuMicros());
    line.put("peak_memory_bytes", result.getPeakMemoryBytes());
    if (result.hasStorageReadBytes()) {
      line.put("storage_read_bytes", result.getStorageReadBytes());
    }
    if (result.hasStorageWrittenBytes()) {
      line.put("storage_written_bytes", result.getStorageWrittenBytes());
    }
    if (result.hasFsChanges()) {
      line.put("fs_changes", Json.of(result.getFsChanges()));
    }
  }

  // What is too large for a trajectory is left out; what is no UTF-8 is given in full as Base64
  // beside the text.
  private static void output(Map<String, Object> line, String name, ByteString bytes, long wrote) {
    if (bytes.size() < wrote) {
      return;
    }
    line.put(name, bytes.toStringUtf8());
    if (!bytes.isValidUtf8()) {
      line.put(name + "_base64", Base64.getEncoder().encodeToString(bytes.toByteArray()));
    }
  }

  private static String outcome(Exec exec) {
    return exec.hasResult() ? Names.of(exec.getResult().getOutcome()) : "RUNNING";
  }

  private static String command(Command command) {
    return command.getShell().isEmpty()
        ? String.join(" ", command.getArgvList())
        : command.getShell();
  }

  private static String shortened(String text) {
    String line = text.replaceAll("\\p{Cntrl}", " ");
    return line.length() <= SHOWN ? line : line.substring(0, SHOWN - 1) + "…";
  }
}
