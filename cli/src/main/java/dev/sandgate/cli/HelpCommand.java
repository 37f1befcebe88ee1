// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the help of a command, however deep it is. */
@Command(name = "help", description = "Show the help of a command.", helpCommand = true)
final class HelpCommand extends Work {

  @Parameters(
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "Its name, for example: env import")
  private List<String> names = List.of();

  @Override
  public Integer call() {
    CommandLine found = spec().root().commandLine();
    for (String name : names) {
      CommandLine next = found.getSubcommands().get(name);
      if (next == null) {
        String holder = found.getCommandSpec().qualifiedName();
        throw CommandFailure.usage("COMMAND: '" + name + "' is no command of " + holder);
      }
      found = next;
    }
    found.usage(spec().commandLine().getOut());
    return ExitCode.OK;
  }
}
