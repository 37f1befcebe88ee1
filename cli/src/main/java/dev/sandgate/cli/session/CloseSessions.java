// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.session;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.Sessions;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Ends sessions. */
@Command(name = "close", description = "End sessions with everything that runs in them.")
final class CloseSessions extends Work {

  @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Parameters(index = "1..*", paramLabel = "NAME", arity = "1..*", description = "Their ids.")
  private List<String> names = List.of();

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      Sessions sessions = sandgate.sandboxes().handle(sandboxId).sessions();
      for (String name : names) {
        tell(name, sessions.close(name).await().indefinitely());
      }
    }
    return ExitCode.OK;
  }

  private void tell(String name, boolean existed) {
    if (console().json()) {
      console().json(Map.of("closed", name, "existed", existed));
    } else if (existed) {
      console().line(name);
    } else {
      console().note("sandgate: " + name + " was not there");
    }
  }
}
