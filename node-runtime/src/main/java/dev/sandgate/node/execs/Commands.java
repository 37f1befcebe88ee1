// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import static dev.sandgate.node.checks.Fields.rangeOr;
import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.checks.Variables;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.TerminalSize;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SessionCommand;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads commands of requests: every field checked, every default filled in. */
final class Commands {

  private static final int MAX_ARGUMENTS = 4_096;
  private static final int MAX_ARGUMENT_BYTES = 48 << 10;
  private static final int MAX_TOGETHER = 60 << 10;
  private static final long DEFAULT_CAP = 64L << 20;
  private static final long MAX_CAP = 1L << 30;
  private static final long MAX_TIMEOUT = 7L * 24 * 3_600_000;

  private Commands() {}

  static Command read(Command asked) {
    arguments(asked);
    Variables.environment("command.env", asked.getEnvMap());
    Variables.labels("command.labels", asked.getLabelsMap());
    together(asked);
    session(asked);
    Fields.workingDirectory("command.cwd", asked.getCwd());
    Fields.user("command.user", asked.getUser());
    if (asked.hasTerminal()) {
      size("command.terminal", asked.getTerminal());
    }
    rangeOr("command.timeout_millis", asked.getTimeoutMillis(), 1, MAX_TIMEOUT, 0);
    return asked.toBuilder()
        .setOutputPolicy(policy(asked))
        .setOutputCapBytes(
            rangeOr("command.output_cap_bytes", asked.getOutputCapBytes(), 1, MAX_CAP, DEFAULT_CAP))
        .build();
  }

  /** In the directory where commands of its sandbox begin, unless it names one or has its session's. */
  static Command within(String directory, Command command) {
    return command.getCwd().isEmpty() && command.getSession().isEmpty()
        ? command.toBuilder().setCwd(directory).build()
        : command;
  }

  static ExecSpec spec(String id, Command command) {
    return new ExecSpec(
        id,
        command.getShell().isEmpty()
            ? List.copyOf(command.getArgvList())
            : List.of("/bin/sh", "-c", command.getShell()),
        command.getEnvMap(),
        command.getCwd(),
        command.getUser(),
        command.getStdin(),
        command.hasTerminal()
            ? Optional.of(size("command.terminal", command.getTerminal()))
            : Optional.empty(),
        0);
  }

  /** Starts a command: by itself, or in its session's shell. */
  static Uni<Exec> launch(dev.sandgate.spi.Sandbox running, String id, Command command) {
    if (command.getSession().isEmpty()) {
      return running.exec(spec(id, command));
    }
    String script =
        command.getShell().isEmpty() ? quoted(command.getArgvList()) : command.getShell();
    return running.runInSession(
        new SessionCommand(command.getSession(), id, script, command.getStdin()));
  }

  /** Takes a command back that was launched. */
  static Uni<Exec> attach(dev.sandgate.spi.Sandbox running, ExecRecord record, OutputOffsets from) {
    String session = record.command().getSession();
    return session.isEmpty()
        ? running.attach(record.execId(), from)
        : running.attachInSession(session, record.execId(), from);
  }

  private static String quoted(List<String> argv) {
    return argv.stream()
        .map(word -> "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  private static void session(Command asked) {
    if (asked.getSession().isEmpty()) {
      return;
    }
    Fields.sessionId("command.session", asked.getSession());
    String hint = "it is the session's; leave it empty with session";
    if (!asked.getCwd().isEmpty()) {
      throw invalid("command.cwd", hint);
    }
    if (!asked.getUser().isEmpty()) {
      throw invalid("command.user", hint);
    }
    if (asked.getEnvCount() > 0) {
      throw invalid("command.env", hint);
    }
    if (asked.hasTerminal()) {
      throw invalid("command.terminal", "a session has none; leave it empty with session");
    }
  }

  static dev.sandgate.spi.TerminalSize size(String field, TerminalSize size) {
    return new dev.sandgate.spi.TerminalSize(
        (int) Fields.range(field + ".columns", size.getColumns(), 1, 65_535),
        (int) Fields.range(field + ".rows", size.getRows(), 1, 65_535));
  }

  private static void arguments(Command asked) {
    boolean shell = !asked.getShell().isEmpty();
    if (shell == (asked.getArgvCount() > 0)) {
      throw invalid("command.argv", "give either argv or shell" + (shell ? ", not both" : ""));
    }
    if (shell) {
      Fields.text("command.shell", asked.getShell(), MAX_ARGUMENT_BYTES);
      return;
    }
    Fields.range("command.argv", asked.getArgvCount(), 1, MAX_ARGUMENTS);
    if (asked.getArgv(0).isEmpty()) {
      throw invalid("command.argv[0]", "it is empty; give a program");
    }
    int bytes = 0;
    for (int i = 0; i < asked.getArgvCount(); i++) {
      Fields.text("command.argv[" + i + "]", asked.getArgv(i));
      bytes += Fields.bytes(asked.getArgv(i)) + 1;
    }
    if (bytes > MAX_ARGUMENT_BYTES) {
      throw invalid(
          "command.argv", "%,d bytes are too many; give at most 48 KiB together".formatted(bytes));
    }
  }

  /** The guest takes arguments and variables in one frame. */
  private static void together(Command asked) {
    int bytes = Fields.bytes(asked.getShell()) + 16;
    for (String argument : asked.getArgvList()) {
      bytes += Fields.bytes(argument) + 2;
    }
    for (var entry : asked.getEnvMap().entrySet()) {
      bytes += Fields.bytes(entry.getKey()) + Fields.bytes(entry.getValue()) + 3;
    }
    if (bytes > MAX_TOGETHER) {
      throw invalid(
          "command.env",
          "argv and env have %,d bytes; give at most 60 KiB together".formatted(bytes));
    }
  }

  private static OutputPolicy policy(Command asked) {
    return switch (asked.getOutputPolicy()) {
      case OUTPUT_POLICY_BLOCK -> OutputPolicy.OUTPUT_POLICY_BLOCK;
      case OUTPUT_POLICY_UNSPECIFIED, OUTPUT_POLICY_RECORD -> OutputPolicy.OUTPUT_POLICY_RECORD;
      case UNRECOGNIZED ->
          throw invalid(
              "command.output_policy", "unknown; give OUTPUT_POLICY_RECORD or OUTPUT_POLICY_BLOCK");
    };
  }
}
