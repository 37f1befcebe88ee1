// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Command;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a command runs, as options. */
final class CommandOptions {

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "Who runs it.")
  private String user = "";

  @Option(
      names = {"-w", "--cwd"},
      paramLabel = "DIR",
      description = "Where it runs.")
  private String cwd = "";

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "Added to its environment; may be repeated.")
  private Map<String, String> env = new LinkedHashMap<>();

  @Option(names = "--timeout", paramLabel = "TIME", description = "Kill it after, for example 30s")
  private @Nullable String timeout;

  /** A command that runs so, to be built further. */
  Command.Builder command() {
    Command.Builder command = Command.newBuilder().setUser(user).setCwd(cwd).putAllEnv(env);
    return timeout == null ? command : command.setTimeoutMillis(Sizes.time(timeout).toMillis());
  }
}
