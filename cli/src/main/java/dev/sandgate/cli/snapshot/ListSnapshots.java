// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Snapshot;
import java.util.List;
import picocli.CommandLine.Command;

/** Lists snapshots. */
@Command(name = "ls", description = "List snapshots, oldest first.")
final class ListSnapshots extends Work {

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      List<Snapshot> all = sandgate.snapshots().list().await().indefinitely();
      if (console().json()) {
        console().json(all);
      } else {
        console().table(Shown.COLUMNS, all.stream().map(Shown::row).toList());
      }
    }
    return ExitCode.OK;
  }
}
