// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.SessionSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Who runs a command or shell, where and with what variables, as options. */
public final class ProcessOptions {

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

  /** A command that runs so, to be built further. */
  Command.Builder command() {
    return Command.newBuilder().setUser(user).setCwd(cwd).putAllEnv(env);
  }

  /** A session whose shell begins so, to be built further. */
  public SessionSpec.Builder session() {
    return SessionSpec.newBuilder().setUser(user).setCwd(cwd).putAllEnv(env);
  }
}
