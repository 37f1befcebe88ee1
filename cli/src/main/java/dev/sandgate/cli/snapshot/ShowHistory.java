// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Snapshot;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows a line of descent. */
@Command(name = "history", description = "Show a snapshot and those it stands on, youngest first.")
final class ShowHistory extends Work {

  @Parameters(paramLabel = "SNAPSHOT", description = "NAME, NAME:TAG or NAME@sha256:…")
  private String reference = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      List<Snapshot> all = sandgate.snapshots().history(reference).await().indefinitely();
      if (console().json()) {
        console().json(all);
      } else {
        console().table(Shown.COLUMNS, all.stream().map(Shown::row).toList());
      }
    }
    return ExitCode.OK;
  }
}
