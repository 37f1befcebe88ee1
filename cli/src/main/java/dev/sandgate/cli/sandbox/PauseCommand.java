// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Batches;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.PauseSandboxBatchRequest;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import picocli.CommandLine.Command;

/** Lets sandboxes stand still. */
@Command(
    name = "pause",
    description =
        "Let sandboxes stand still and give their memory to the host's swap. Whatever is asked of one wakes it first.")
public final class PauseCommand extends Several {

  @Override
  public Integer call() {
    requireSome();
    PauseSandboxBatchRequest which =
        PauseSandboxBatchRequest.newBuilder()
            .addAllSandboxIds(ids())
            .putAllLabels(labels())
            .build();
    try (Sandgate sandgate = global().connect()) {
      return each(sandgate.batches().pause(which), this::tell);
    }
  }

  private int tell(Batches.Paused item) {
    if (item.result().isEmpty()) {
      return failed(item.failure().orElseThrow());
    }
    PauseSandboxResponse paused = item.result().get();
    if (console().json()) {
      console().json(paused);
      return ExitCode.OK;
    }
    long given = Math.max(0, paused.getMemoryBeforeBytes() - paused.getMemoryAfterBytes());
    console().line(item.sandboxId());
    console()
        .note(
            "sandgate: %s gave back %s of %s"
                .formatted(
                    item.sandboxId(),
                    Sizes.show(given),
                    Sizes.show(paused.getMemoryBeforeBytes())));
    return ExitCode.OK;
  }
}
