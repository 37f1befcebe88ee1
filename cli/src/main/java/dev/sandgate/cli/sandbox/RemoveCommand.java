// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Removes sandboxes, several at once. */
@Command(name = "rm", description = "Remove sandboxes with everything in them.")
public final class RemoveCommand extends Work {

  private static final int AT_ONCE = 32;

  @Parameters(paramLabel = "SANDBOX", arity = "0..*", description = "Their ids.")
  private List<String> ids = List.of();

  @Mixin private final Selection selection = new Selection();

  /** What came of one. */
  private record Removal(
      String id, boolean existed, @org.jspecify.annotations.Nullable Throwable failure) {}

  @Override
  public Integer call() {
    if (ids.isEmpty() && selection.isEmpty()) {
      throw CommandFailure.usage("SANDBOX: nothing to remove: give ids, --label or --all");
    }
    try (Sandgate sandgate = global().connect()) {
      List<Removal> removals =
          targets(sandgate)
              .onItem()
              .transformToUni(id -> remove(sandgate, id))
              .merge(AT_ONCE)
              .collect()
              .asList()
              .await()
              .indefinitely();
      return removals.stream().mapToInt(this::tell).max().orElse(ExitCode.OK);
    }
  }

  private Multi<String> targets(Sandgate sandgate) {
    return Multi.createFrom().iterable(ids.isEmpty() ? selection.ids(sandgate) : ids);
  }

  private static Uni<Removal> remove(Sandgate sandgate, String id) {
    return sandgate
        .sandboxes()
        .delete(id)
        .map(existed -> new Removal(id, existed, null))
        .onFailure(SandgateClientException.class)
        .recoverWithItem(failure -> new Removal(id, false, failure));
  }

  private int tell(Removal removal) {
    if (removal.failure() != null) {
      return Failures.tell(removal.failure(), spec().commandLine());
    }
    if (console().json()) {
      console().json(Map.of("sandbox_id", removal.id(), "existed", removal.existed()));
    } else {
      console().line(removal.id());
    }
    if (!removal.existed()) {
      console().note("sandgate: " + removal.id() + " was not there");
    }
    return ExitCode.OK;
  }
}
