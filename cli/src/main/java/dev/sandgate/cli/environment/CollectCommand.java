// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.CollectSharedResponse;
import dev.sandgate.proto.v1.CollectedLayer;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Removes from the shared storage what nothing needs. */
@Command(
    name = "gc",
    description = {
      "Remove the layers that no shared name and no environment or sandbox of a node needs.",
      "Layers of nodes themselves go with the last environment that needs them."
    })
final class CollectCommand extends Work {

  @Option(
      names = "--shared",
      required = true,
      description = "From the directory or registry that nodes share.")
  private boolean shared;

  @Option(
      names = "--idle",
      paramLabel = "TIME",
      defaultValue = "1d",
      description = "Only those that were not shared within this time (default: ${DEFAULT-VALUE}).")
  private String idle = "1d";

  @Option(names = "--dry-run", description = "Only show what would be removed.")
  private boolean dryRun;

  @Override
  public Integer call() {
    Duration time = Sizes.time(idle);
    try (Sandgate sandgate = global().connect()) {
      CollectSharedResponse found =
          sandgate.environments().collectShared(time, shared && !dryRun).await().indefinitely();
      if (console().json()) {
        console().json(found);
      } else {
        console()
            .table(
                List.of("LAYER", "SIZE", "SHARED"),
                found.getLayersList().stream().map(CollectCommand::row).toList());
      }
    }
    return ExitCode.OK;
  }

  private static List<String> row(CollectedLayer layer) {
    return List.of(
        layer.getDigest(), Sizes.show(layer.getSizeBytes()), Shown.time(layer.getSharedAt()));
  }
}
