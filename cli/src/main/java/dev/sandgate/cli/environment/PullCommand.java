// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Brings a shared environment to all nodes. */
@Command(
    name = "pull",
    description = "Bring all layers of a shared environment to every node, and wait for it.")
final class PullCommand extends Work {

  @Parameters(paramLabel = "REFERENCE", description = "NAME, NAME:TAG or NAME@sha256:…")
  private String reference = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      Shown.print(console(), sandgate.environments().pull(reference).await().indefinitely());
    }
    return ExitCode.OK;
  }
}
