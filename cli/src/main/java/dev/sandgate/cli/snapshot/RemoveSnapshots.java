// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes snapshots. */
@Command(name = "rm", description = "Remove snapshots that no sandbox uses and no other stands on.")
final class RemoveSnapshots extends Work {

  @Parameters(
      paramLabel = "SNAPSHOT",
      arity = "1..*",
      description = "NAME, NAME:TAG or NAME@sha256:…")
  private List<String> references = List.of();

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      return references.stream()
          .mapToInt(reference -> remove(sandgate, reference))
          .max()
          .orElse(ExitCode.OK);
    }
  }

  private int remove(Sandgate sandgate, String reference) {
    try {
      sandgate.snapshots().remove(reference).await().indefinitely();
    } catch (SandgateClientException refused) {
      return Failures.tell(refused, spec().commandLine());
    }
    if (console().json()) {
      console().json(Map.of("removed", reference));
    } else {
      console().line(reference);
    }
    return ExitCode.OK;
  }
}
