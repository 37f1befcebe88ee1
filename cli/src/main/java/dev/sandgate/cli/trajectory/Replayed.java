// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.trajectory;

import dev.sandgate.client.Execs;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.TrajectoryEntry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A recorded command and what came of it when it was run again.
 *
 * @param entry as recorded
 * @param skipped why it was not run again, or empty
 * @param outcome how it ended this time: an exit code, a signal or a failure; empty when it was skipped
 */
record Replayed(TrajectoryEntry entry, String skipped, String outcome) {

  static final List<String> HEADER = List.of("SEQUENCE", "EXEC", "RECORDED", "REPLAYED", "COMMAND");

  private static final String TIMEOUT = "COMMAND_TIMEOUT";

  /** Runs one again, unless what it did depends on what is not recorded. */
  static Replayed run(TrajectoryEntry entry, Execs execs) {
    String why = obstacle(entry.getExec());
    return why.isEmpty()
        ? new Replayed(entry, "", again(entry, execs))
        : new Replayed(entry, why, "");
  }

  private static String obstacle(Exec exec) {
    Command command = exec.getCommand();
    ExecResult result = exec.getResult();
    if (!exec.hasResult()) {
      return "RUNNING";
    }
    if (result.getOutcome() == ExecOutcome.EXEC_OUTCOME_UNKNOWN) {
      return "UNKNOWN";
    }
    if (!command.getSession().isEmpty()) {
      return "SESSION";
    }
    if (command.hasTerminal()) {
      return "TERMINAL";
    }
    if (command.getStdin()) {
      return "STDIN";
    }
    boolean killed = !result.getKillReason().isEmpty() && !result.getKillReason().equals(TIMEOUT);
    return killed ? "KILLED" : "";
  }

  private static String again(TrajectoryEntry entry, Execs execs) {
    try {
      return shown(
          execs
              .run(entry.getExecId(), entry.getExec().getCommand())
              .await()
              .indefinitely()
              .message());
    } catch (SandgateClientException failure) {
      return failure.code() + ": " + failure.getMessage();
    }
  }

  private static String shown(ExecResult result) {
    String end =
        result.getSignal() == 0
            ? Integer.toString(result.getExitCode())
            : "signal " + result.getSignal();
    return result.getTimedOut() ? end + ", timed out" : end;
  }

  String recorded() {
    return shown(entry.getExec().getResult());
  }

  boolean isSkipped() {
    return !skipped.isEmpty();
  }

  boolean differs() {
    return !isSkipped() && !outcome.equals(recorded());
  }

  List<String> cells() {
    return List.of(
        Long.toString(entry.getSequence()),
        entry.getExecId(),
        entry.getExec().hasResult() ? recorded() : "-",
        isSkipped() ? "skipped: " + skipped : outcome,
        Line.shown(entry));
  }

  Map<String, Object> json() {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("sequence", entry.getSequence());
    line.put("exec_id", entry.getExecId());
    line.put("recorded", entry.getExec().hasResult() ? recorded() : "");
    line.put("replayed", outcome);
    line.put("skipped", skipped);
    line.put("same", !isSkipped() && !differs());
    return line;
  }
}
