// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.EnvironmentLock;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists locks. */
@Command(name = "locks", description = "List what jobs have locked.")
final class ListLocks extends Work {

  @Option(names = "--job", paramLabel = "JOB", description = "Of one job only.")
  private String job = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      List<EnvironmentLock> all = sandgate.environments().locks(job).await().indefinitely();
      if (console().json()) {
        console().json(all);
      } else {
        console()
            .table(
                List.of("JOB", "NAME", "LOCKED", "DIGEST"),
                all.stream().map(ListLocks::row).toList());
      }
    }
    return ExitCode.OK;
  }

  private static List<String> row(EnvironmentLock lock) {
    return List.of(
        lock.getJob(),
        lock.getName() + ":" + lock.getTag(),
        Shown.time(lock.getLockedAt()),
        lock.getDigest());
  }
}
