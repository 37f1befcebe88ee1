// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.EnvironmentVersion;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows what a name stood for. */
@Command(
    name = "history",
    description = "Show what a name stands for and stood for, youngest first.")
final class ShowVersions extends Work {

  @Parameters(paramLabel = "ENVIRONMENT", description = "NAME or NAME:TAG")
  private String reference = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      List<EnvironmentVersion> all =
          sandgate.environments().history(reference).await().indefinitely();
      if (console().json()) {
        console().json(all);
      } else {
        console()
            .table(
                List.of("NAME", "FROM", "UNTIL", "SANDBOXES", "USABLE", "DIGEST"),
                all.stream().map(ShowVersions::row).toList());
      }
    }
    return ExitCode.OK;
  }

  private static List<String> row(EnvironmentVersion version) {
    return List.of(
        Shown.name(version.getEnvironment()),
        Shown.time(version.getEnvironment().getCreatedAt()),
        version.hasReplacedAt() ? Shown.time(version.getReplacedAt()) : "now",
        String.valueOf(version.getEnvironment().getSandboxes()),
        version.getUsable() ? "yes" : "no",
        version.getEnvironment().getDigest());
  }
}
