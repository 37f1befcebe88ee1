// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.Sandbox;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Returns sandboxes to their environment's state. */
@Command(
    name = "reset",
    description =
        "Return sandboxes to their environment's state: nothing written, nothing running, the same id.")
public final class ResetCommand extends Work {

  @Parameters(paramLabel = "SANDBOX", arity = "1..*", description = "Their ids.")
  private List<String> ids = List.of();

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      return ids.stream().mapToInt(id -> reset(sandgate, id)).max().orElse(ExitCode.OK);
    }
  }

  private int reset(Sandgate sandgate, String id) {
    try {
      Sandbox fresh = sandgate.sandboxes().reset(id).await().indefinitely();
      if (console().json()) {
        console().json(fresh);
      } else {
        console().line(id);
      }
      return ExitCode.OK;
    } catch (SandgateClientException refused) {
      return Failures.tell(refused, spec().commandLine());
    }
  }
}
