// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.GlobalOptions;
import dev.sandgate.cli.copy.CopyCommand;
import dev.sandgate.cli.demo.DemoCommand;
import dev.sandgate.cli.environment.EnvCommand;
import dev.sandgate.cli.function.CallCommand;
import dev.sandgate.cli.load.LoadCommand;
import dev.sandgate.cli.node.NodeCommand;
import dev.sandgate.cli.sandbox.CreateCommand;
import dev.sandgate.cli.sandbox.DiffCommand;
import dev.sandgate.cli.sandbox.EachCommand;
import dev.sandgate.cli.sandbox.ExecCommand;
import dev.sandgate.cli.sandbox.GetCommand;
import dev.sandgate.cli.sandbox.ListCommand;
import dev.sandgate.cli.sandbox.PauseCommand;
import dev.sandgate.cli.sandbox.RemoveCommand;
import dev.sandgate.cli.sandbox.RenewCommand;
import dev.sandgate.cli.sandbox.ResetCommand;
import dev.sandgate.cli.sandbox.ResumeCommand;
import dev.sandgate.cli.sandbox.ShellCommand;
import dev.sandgate.cli.server.DoctorCommand;
import dev.sandgate.cli.server.UpCommand;
import dev.sandgate.cli.session.SessionCommand;
import dev.sandgate.cli.snapshot.SnapshotCommand;
import dev.sandgate.cli.top.TopCommand;
import dev.sandgate.cli.trajectory.TrajectoryCommand;
import dev.sandgate.cli.usage.UsageCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ScopeType;

/** The {@code sandgate} command. */
@Command(
    name = "sandgate",
    description = "Isolated, stateful sandboxes for agentic training.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = SandgateCommand.Version.class,
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      DoctorCommand.class,
      CreateCommand.class,
      ListCommand.class,
      GetCommand.class,
      ExecCommand.class,
      EachCommand.class,
      ShellCommand.class,
      CallCommand.class,
      SessionCommand.class,
      CopyCommand.class,
      DiffCommand.class,
      RenewCommand.class,
      ResetCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      TrajectoryCommand.class,
      UsageCommand.class,
      TopCommand.class,
      RemoveCommand.class,
      EnvCommand.class,
      SnapshotCommand.class,
      NodeCommand.class,
      LoadCommand.class,
      TestCommand.class,
      VersionCommand.class,
      CompletionCommand.class,
      HelpCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:something failed; stderr says what",
      "2:the command line is wrong",
      "3:the gateway or a node cannot be reached",
      "125:only exec, sh and call, whose exit code is otherwise the command's: the platform failed"
    })
public final class SandgateCommand extends GlobalOptions {

  /** What --version prints. */
  static final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
      return new String[] {"sandgate " + VersionCommand.version()};
    }
  }

  /** Runs the command line and ends the process with its exit code. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The command line, ready to run or to be looked at. */
  public static CommandLine commandLine() {
    Failures failures = new Failures();
    CommandLine line = new CommandLine(new SandgateCommand());
    line.setExecutionExceptionHandler(failures);
    line.setParameterExceptionHandler(failures);
    line.setUsageHelpAutoWidth(true);
    line.setAbbreviatedSubcommandsAllowed(false);
    return line;
  }
}
