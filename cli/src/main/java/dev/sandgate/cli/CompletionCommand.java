// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a completion script. */
@Command(
    name = "completion",
    description = "Print a completion script.",
    footer = {
      "",
      "bash: source <(sandgate completion bash)",
      "zsh:  source <(sandgate completion zsh)"
    })
final class CompletionCommand extends Work {

  @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
  private String shell = "";

  @Override
  public Integer call() {
    String script = AutoComplete.bash("sandgate", spec().root().commandLine());
    switch (shell) {
      case "bash" -> console().line(script);
      case "zsh" -> console().line("autoload -U +X bashcompinit && bashcompinit\n" + script);
      default -> throw CommandFailure.usage("SHELL: '" + shell + "' is unknown, give bash or zsh");
    }
    return ExitCode.OK;
  }
}
