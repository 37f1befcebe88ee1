// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Releases locks of a job. */
@Command(name = "unlock", description = "Release a lock of a job, or all of them.")
final class UnlockEnvironment extends Work {

  @Parameters(index = "0", paramLabel = "JOB", description = "The sandboxes' label job.")
  private String job = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "ENVIRONMENT",
      description = "NAME or NAME:TAG. Default: all of the job")
  private String reference = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      int released = sandgate.environments().unlock(job, reference).await().indefinitely();
      if (console().json()) {
        console().json(Map.of("released", released));
      } else {
        console().line(String.valueOf(released));
      }
    }
    return ExitCode.OK;
  }
}
