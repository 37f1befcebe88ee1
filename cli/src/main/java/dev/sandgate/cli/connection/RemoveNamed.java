// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.connection;

import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Parameters;

/** Removes things that have a name and a tag, one by one; one that is refused does not keep the others. */
public abstract class RemoveNamed extends Work {

  @Parameters(
      paramLabel = "REFERENCE",
      arity = "1..*",
      description = "NAME, NAME:TAG or NAME@sha256:…")
  private List<String> references = List.of();

  /** Removes one. */
  protected abstract Uni<?> remove(Sandgate sandgate, String reference);

  @Override
  public final Integer call() {
    try (Sandgate sandgate = global().connect()) {
      return references.stream()
          .mapToInt(reference -> removed(sandgate, reference))
          .max()
          .orElse(ExitCode.OK);
    }
  }

  private int removed(Sandgate sandgate, String reference) {
    try {
      remove(sandgate, reference).await().indefinitely();
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
