// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Progress;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotRules;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Seals what a sandbox wrote. */
@Command(
    name = "create",
    description =
        "Seal what a sandbox wrote, without shell history, caches, temporary files, logs and credentials.")
final class CreateSnapshot extends Work {

  @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Parameters(index = "1", paramLabel = "NAME", description = "NAME or NAME:TAG.")
  private String name = "";

  @Option(names = "--replace", description = "Move a name that is taken.")
  private boolean replace;

  @Option(
      names = "--quiesce",
      description = "Also while commands run: they stand still for a moment.")
  private boolean quiesce;

  @Option(names = "--keep-residue", description = "Take nothing out but what --scrub names.")
  private boolean keepResidue;

  @Option(
      names = "--scrub",
      paramLabel = "PATTERN",
      description = "Take out what matches, as /data/*.key or /srv/**/.env; may be repeated.")
  private List<String> scrub = List.of();

  @Option(
      names = "--forbid",
      paramLabel = "PATTERN",
      description = "Refuse the snapshot when something matches; may be repeated.")
  private List<String> forbid = List.of();

  @Option(
      names = "--max-size",
      paramLabel = "SIZE",
      description = "Refuse more than this, for example 2g.")
  private @Nullable String maxSize;

  @Option(names = "--max-entries", paramLabel = "N", description = "Refuse more than this.")
  private long maxEntries;

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      show(seal(sandgate));
    }
    return ExitCode.OK;
  }

  private Snapshot seal(Sandgate sandgate) {
    try (Progress progress = console().progress()) {
      progress.update(name + ": sealing");
      return sandgate.snapshots().create(request()).await().indefinitely();
    }
  }

  private CreateSnapshotRequest request() {
    int colon = name.indexOf(':');
    return CreateSnapshotRequest.newBuilder()
        .setSandboxId(sandboxId)
        .setName(colon < 0 ? name : name.substring(0, colon))
        .setTag(colon < 0 ? "" : name.substring(colon + 1))
        .setReplace(replace)
        .setAllowRunning(quiesce)
        .setRules(
            SnapshotRules.newBuilder()
                .setKeepResidue(keepResidue)
                .addAllScrubPaths(scrub)
                .addAllForbiddenPaths(forbid)
                .setMaxBytes(maxSize == null ? 0 : Sizes.bytes(maxSize))
                .setMaxEntries(maxEntries))
        .build();
  }

  private void show(Snapshot made) {
    if (console().json()) {
      console().json(made);
    } else {
      console().line(Shown.line(made));
    }
  }
}
