// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import dev.sandgate.cli.image.ExportCommand;
import picocli.CommandLine.Command;

/** Groups the commands about snapshots. */
@Command(
    name = "snapshot",
    description = "Keep snapshots: what a sandbox wrote, as an environment for others.",
    subcommands = {
      CreateSnapshot.class,
      ListSnapshots.class,
      InspectSnapshot.class,
      ShowHistory.class,
      ExportCommand.class,
      RemoveSnapshots.class
    })
public final class SnapshotCommand {}
