// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.session;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Names;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.Session;
import dev.sandgate.proto.v1.SessionState;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists a sandbox's sessions. */
@Command(name = "ls", description = "List a sandbox's sessions, newest first.")
final class ListSessions extends Work {

  @Parameters(paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      List<Session> all =
          sandgate.sandboxes().handle(sandboxId).sessions().list().await().indefinitely();
      if (console().json()) {
        console().json(all);
      } else {
        console()
            .table(
                List.of("ID", "STATE", "SHELL", "ENDED"),
                all.stream().map(ListSessions::row).toList());
      }
    }
    return ExitCode.OK;
  }

  private static List<String> row(Session session) {
    boolean ended = session.getState() == SessionState.SESSION_STATE_ENDED;
    String shell = session.getSpec().getShell();
    return List.of(
        session.getSessionId(),
        Names.of(session.getState()),
        shell.isEmpty() ? "default" : shell,
        ended ? session.getReason() + " " + session.getExitCode() : "");
  }
}
