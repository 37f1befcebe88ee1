// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.image.ExportCommand;
import picocli.CommandLine.Command;

/** Groups the commands about environments. */
@Command(
    name = "env",
    description = "Keep environments: named, tagged stacks of layers.",
    subcommands = {
      ImportCommand.class,
      ListEnvironments.class,
      InspectEnvironment.class,
      ShowVersions.class,
      LockEnvironment.class,
      UnlockEnvironment.class,
      ListLocks.class,
      ExportCommand.class,
      RemoveEnvironments.class,
      ShareCommand.class,
      UnshareCommand.class,
      CollectCommand.class,
      PullCommand.class
    })
public final class EnvCommand {}
