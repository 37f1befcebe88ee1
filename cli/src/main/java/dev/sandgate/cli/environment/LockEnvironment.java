// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.EnvironmentLock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Locks a name for a job. */
@Command(
    name = "lock",
    description = "Give a job's sandboxes what a name stands for now, however often it is moved.")
final class LockEnvironment extends Work {

  @Parameters(index = "0", paramLabel = "JOB", description = "The sandboxes' label job.")
  private String job = "";

  @Parameters(index = "1", paramLabel = "ENVIRONMENT", description = "NAME or NAME:TAG")
  private String reference = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      EnvironmentLock lock = sandgate.environments().lock(job, reference).await().indefinitely();
      if (console().json()) {
        console().json(lock);
      } else {
        console().line(lock.getName() + ":" + lock.getTag() + "@" + lock.getDigest());
      }
    }
    return ExitCode.OK;
  }
}
