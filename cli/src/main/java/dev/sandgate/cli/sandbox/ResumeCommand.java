// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.client.Batches;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ResumeSandboxBatchRequest;
import picocli.CommandLine.Command;

/** Lets paused sandboxes go on. */
@Command(name = "resume", description = "Let paused sandboxes go on.")
public final class ResumeCommand extends Several {

  @Override
  public Integer call() {
    requireSome();
    ResumeSandboxBatchRequest which =
        ResumeSandboxBatchRequest.newBuilder()
            .addAllSandboxIds(ids())
            .putAllLabels(labels())
            .build();
    try (Sandgate sandgate = global().connect()) {
      return each(sandgate.batches().resume(which), this::tell);
    }
  }

  private int tell(Batches.Resumed item) {
    if (item.sandbox().isEmpty()) {
      return failed(item.failure().orElseThrow());
    }
    if (console().json()) {
      console().json(item.sandbox().get());
    } else {
      console().line(item.sandboxId());
    }
    return ExitCode.OK;
  }
}
