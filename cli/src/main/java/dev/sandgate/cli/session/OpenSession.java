// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.session;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.sandbox.ProcessOptions;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.ShellSession;
import dev.sandgate.proto.v1.SessionSpec;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Opens a session and prints its id. */
@Command(name = "open", description = "Open a session and print its id.")
final class OpenSession extends Work {

  @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Parameters(
      index = "1",
      paramLabel = "NAME",
      arity = "0..1",
      description = "Its id; the same again finds it. Default: a new one")
  private String name = "";

  @Option(
      names = "--shell",
      paramLabel = "PROGRAM",
      description = "A shell like sh. Default: bash where there is one, else sh")
  private String shell = "";

  @Mixin private final ProcessOptions process = new ProcessOptions();

  @Override
  public Integer call() {
    SessionSpec spec = process.session().setShell(shell).build();
    String id = name.isEmpty() ? UUID.randomUUID().toString() : name;
    try (Sandgate sandgate = global().connect()) {
      ShellSession session =
          sandgate.sandboxes().handle(sandboxId).sessions().open(id, spec).await().indefinitely();
      if (console().json()) {
        console().json(Map.of("session_id", session.id()));
      } else {
        console().line(session.id());
      }
    }
    return ExitCode.OK;
  }
}
