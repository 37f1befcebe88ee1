// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.terminal.Terminal;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.Execs;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.TerminalSize;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a command in a sandbox with this process's streams; its exit code is this process's. */
@CommandLine.Command(
    name = "exec",
    description = "Run a command in a sandbox. Its output and exit code are this command's.",
    footer = {
      "",
      "Exit code: the command's own; 128 + signal when a signal ended it; 125 when the",
      "platform failed; 2 for a wrong command line; 3 when the gateway cannot be reached.",
      "SIGTERM, SIGHUP and a reader that leaves end the command, too; see --detach."
    })
public final class ExecCommand extends Work {

  @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      parameterConsumer = RestOfLine.class,
      description =
          "Program and arguments, run without a shell; everything behind it is the command's.")
  private List<String> argv = List.of();

  @Mixin private final CommandOptions options = new CommandOptions();

  @Option(
      names = {"-i", "--stdin"},
      description = "Pass on stdin; otherwise it reads end of file at once.")
  private boolean stdin;

  @Option(
      names = {"-t", "--tty"},
      description = "Run it in a terminal.")
  private boolean tty;

  @Option(
      names = "--session",
      paramLabel = "NAME",
      description =
          "Run it in this session's shell itself, words joined by spaces as ssh does; what it changes stays.")
  private String session = "";

  @Option(
      names = "--id",
      paramLabel = "ID",
      description =
          "Run it under this id, at most once: when it ran before, show what came of it. Default: a new one")
  private String id = "";

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "Its label, for example step=7; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = {"-d", "--detach"},
      description = "Print its id and let it run.")
  private boolean detach;

  @Option(
      names = "--changes",
      description =
          "Only with --output json: tell which files changed meanwhile, and keep that in the trajectory.")
  private boolean changes;

  @Override
  public Integer call() throws IOException {
    if (changes && (!console().json() || stdin || tty || detach)) {
      throw CommandFailure.usage("--changes: give --output json with it, and no -i, -t or -d");
    }
    if (argv.isEmpty()) {
      throw CommandFailure.usage("COMMAND: nothing to run: give a program behind the sandbox's id");
    }
    try (Sandgate sandgate = global().connect()) {
      return run(sandgate.sandboxes().handle(sandboxId).execs());
    } catch (SandgateClientException refused) {
      int code = Failures.tell(refused, spec().commandLine());
      return code == ExitCode.UNREACHABLE && !refused.requestSent() ? code : ExitCode.PLATFORM;
    }
  }

  private int run(Execs execs) throws IOException {
    if (detach) {
      ExecHandle exec = execs.start(newId(), command()).await().indefinitely();
      if (console().json()) {
        console().json(Map.of("exec_id", exec.id()));
      } else {
        console().line(exec.id());
      }
      return ExitCode.OK;
    }
    boolean json = console().json() && !stdin;
    boolean terminal = ExecStreams.takesTerminal(stdin, tty);
    String execId = newId();
    return new Attended(execs, execId, terminal, console())
        .run(
            !json && !terminal,
            () ->
                json
                    ? json(execs, execId)
                    : new ExecStreams(started(execs, execId), stdin, tty).run());
  }

  private int json(Execs execs, String execId) {
    return changes
        ? ExecJson.runWithChanges(execs, execId, command(), console())
        : ExecJson.run(execs, execId, command(), console());
  }

  private ExecHandle started(Execs execs, String execId) {
    return execs.start(execId, command()).await().indefinitely();
  }

  private String newId() {
    return id.isEmpty() ? UUID.randomUUID().toString() : id;
  }

  private Command command() {
    Command.Builder command =
        options
            .command()
            .setSession(session)
            .putAllLabels(labels)
            .setStdin(stdin)
            .setOutputPolicy(
                detach ? OutputPolicy.OUTPUT_POLICY_RECORD : OutputPolicy.OUTPUT_POLICY_BLOCK);
    if (session.isEmpty()) {
      command.addAllArgv(argv);
    } else {
      command.setShell(String.join(" ", argv));
    }
    if (tty) {
      command.setTerminal(
          TerminalSize.newBuilder().setColumns(Terminal.columns()).setRows(Terminal.rows()));
    }
    return command.build();
  }
}
