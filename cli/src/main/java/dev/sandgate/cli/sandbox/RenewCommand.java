// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import com.google.protobuf.Timestamp;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.RenewSandboxResponse;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets a sandbox's lease run anew. */
@Command(name = "renew", description = "Let a sandbox's lease run anew from now.")
public final class RenewCommand extends Work {

  @Parameters(paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      description = "For how long, for example 30m. Default: as long as at its creation")
  private @Nullable String lease;

  @Override
  public Integer call() {
    Duration time = lease == null ? Duration.ZERO : Sizes.time(lease);
    try (Sandgate sandgate = global().connect()) {
      RenewSandboxResponse kept =
          sandgate.sandboxes().renew(sandboxId, time).await().indefinitely();
      if (console().json()) {
        console().json(kept);
      } else {
        console().line(kept.hasLeaseUntil() ? utc(kept.getLeaseUntil()) : "for ever");
      }
    }
    return ExitCode.OK;
  }

  /** A time as people and programs read it. */
  static String utc(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos()).toString();
  }
}
