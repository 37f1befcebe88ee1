// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.Snapshot;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows everything that is known of a snapshot. */
@Command(
    name = "inspect",
    description = "Show a snapshot: its layers, its manifest, where it came from.")
final class InspectSnapshot extends Work {

  @Parameters(paramLabel = "SNAPSHOT", description = "NAME, NAME:TAG or NAME@sha256:…")
  private String reference = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      Snapshot snapshot = sandgate.snapshots().get(reference).await().indefinitely();
      if (console().json()) {
        console().json(snapshot);
      } else {
        console().table(List.of("", ""), rows(snapshot));
      }
    }
    return ExitCode.OK;
  }

  private static List<List<String>> rows(Snapshot snapshot) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("name", Shown.name(snapshot)));
    rows.add(List.of("digest", snapshot.getEnvironment().getDigest()));
    rows.add(List.of("manifest", snapshot.getManifestDigest()));
    rows.add(List.of("parent", snapshot.getParentName() + " " + snapshot.getParentDigest()));
    rows.add(List.of("sandbox", snapshot.getSandboxId()));
    snapshot.getLabelsMap().forEach((key, value) -> rows.add(List.of("label", key + "=" + value)));
    rows.add(List.of("owner", snapshot.getEnvironment().getOwner()));
    rows.add(List.of("node", snapshot.getNodeId()));
    rows.add(List.of("created", Shown.time(snapshot.getCreatedAt())));
    rows.add(List.of("entries", String.valueOf(snapshot.getEntries())));
    rows.add(List.of("size", Sizes.show(snapshot.getContentBytes())));
    rows.add(List.of("left out", snapshot.getSkipped() + " sockets and devices"));
    rows.add(List.of("taken out", snapshot.getScrubbed() + " entries by rule"));
    rows.add(
        List.of(
            "took",
            "%d ms, stood still %d ms"
                .formatted(snapshot.getSealMillis(), snapshot.getFrozenMillis())));
    rows.add(List.of("sandboxes", String.valueOf(snapshot.getEnvironment().getSandboxes())));
    for (LayerInfo layer : snapshot.getEnvironment().getLayersList()) {
      rows.add(List.of("layer", layer.getDigest() + " " + Sizes.show(layer.getSizeBytes())));
    }
    return rows;
  }
}
