// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which sandboxes, as options. */
final class Selection {

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "All with this label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--all", description = "All there are.")
  private boolean all;

  /** Whether nothing was selected. */
  boolean isEmpty() {
    return labels.isEmpty() && !all;
  }

  /** The ids of what is selected, in any state or in these; blocks. */
  List<String> ids(Sandgate sandgate, SandboxState... states) {
    ListSandboxesRequest filter =
        ListSandboxesRequest.newBuilder()
            .putAllLabels(labels)
            .addAllStates(List.of(states))
            .build();
    return sandgate
        .sandboxes()
        .list(filter)
        .map(Sandbox::getSandboxId)
        .collect()
        .asList()
        .await()
        .indefinitely();
  }
}
