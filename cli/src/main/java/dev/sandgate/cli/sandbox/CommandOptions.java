// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Command;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a command runs, as options. */
final class CommandOptions {

  @Mixin private final ProcessOptions process = new ProcessOptions();

  @Option(names = "--timeout", paramLabel = "TIME", description = "Kill it after, for example 30s")
  private @Nullable String timeout;

  /** A command that runs so, to be built further. */
  Command.Builder command() {
    Command.Builder command = process.command();
    return timeout == null ? command : command.setTimeoutMillis(Sizes.time(timeout).toMillis());
  }
}
