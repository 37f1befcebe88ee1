// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts an environment where other nodes find it. */
@Command(
    name = "share",
    description = "Put an environment or a snapshot into the directory of layers that nodes share.")
final class ShareCommand extends Work {

  @Parameters(paramLabel = "REFERENCE", description = "NAME, NAME:TAG or NAME@sha256:…")
  private String reference = "";

  @Option(names = "--replace", description = "Move a name that is taken there.")
  private boolean replace;

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      Shown.print(
          console(), sandgate.environments().share(reference, replace).await().indefinitely());
    }
    return ExitCode.OK;
  }
}
