// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.terminal.Terminal;
import dev.sandgate.client.Execs;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.TerminalSize;
import java.io.IOException;
import java.util.Objects;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Opens a shell in a sandbox on this terminal. */
@CommandLine.Command(name = "sh", description = "Open a shell in a sandbox, in a terminal.")
public final class ShellCommand extends Work {

  private static final String BEST_SHELL =
      "if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi";

  @Parameters(paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Mixin private final ProcessOptions process = new ProcessOptions();

  @Option(
      names = "--shell",
      paramLabel = "LINE",
      description = "What to run. Default: bash, else sh")
  private String shell = BEST_SHELL;

  @Override
  public Integer call() throws IOException {
    try (Sandgate sandgate = global().connect()) {
      Execs execs = sandgate.sandboxes().handle(sandboxId).execs();
      String execId = UUID.randomUUID().toString();
      boolean terminal = ExecStreams.takesTerminal(true, true);
      return new Attended(execs, execId, terminal, console())
          .run(
              !terminal,
              () ->
                  new ExecStreams(execs.start(execId, command()).await().indefinitely(), true, true)
                      .run());
    } catch (SandgateClientException refused) {
      int code = Failures.tell(refused, spec().commandLine());
      return code == ExitCode.UNREACHABLE && !refused.requestSent() ? code : ExitCode.PLATFORM;
    }
  }

  private Command command() {
    String kind = Objects.requireNonNullElse(System.getenv("TERM"), "xterm-256color");
    Command.Builder command = process.command();
    if (!command.containsEnv("TERM")) {
      command.putEnv("TERM", kind);
    }
    return command
        .setShell(shell)
        .setStdin(true)
        .setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK)
        .setTerminal(
            TerminalSize.newBuilder().setColumns(Terminal.columns()).setRows(Terminal.rows()))
        .build();
  }
}
