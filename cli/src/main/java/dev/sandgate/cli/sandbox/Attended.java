// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.Reasons;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.terminal.Interruption;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.Execs;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.time.Duration;

/**
 * Runs a command that does not outlive this process: when a signal ends us, or nobody takes its output, its tree is
 * killed and its terminal hung up.
 */
final class Attended {

  private static final Duration LIMIT = Duration.ofSeconds(8);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final int HUNG_UP = 128 + 1;
  private static final int BROKEN_PIPE = 128 + 13;

  private final Execs execs;
  private final String execId;
  private final boolean terminal;
  private final Console console;

  Attended(Execs execs, String execId, boolean terminal, Console console) {
    this.execs = execs;
    this.execId = execId;
    this.terminal = terminal;
    this.console = console;
  }

  /** Starts the command and follows it to its end; an IOException says that its output cannot be written. */
  interface Following {
    int run() throws IOException;
  }

  /** Gives the command's exit code, or 128 and what ended us. Ctrl-C is the follower's when it says so. */
  int run(boolean passInterrupt, Following command) throws IOException {
    try (Interruption interruption = Interruption.listen(!passInterrupt)) {
      try {
        int code = command.run();
        return interruption.taken(true) ? interruption.exitCode(code) : code;
      } catch (RuntimeException | IOException failure) {
        if (interruption.taken(failure instanceof IOException)) {
          end();
          return interruption.exitCode(0);
        }
        if (failure instanceof IOException unwritten) {
          end();
          return unwritten(unwritten);
        }
        throw failure;
      }
    }
  }

  private int unwritten(IOException failure) {
    if (terminal) {
      return HUNG_UP;
    }
    if (String.valueOf(failure.getMessage()).startsWith("Broken pipe")) {
      return BROKEN_PIPE;
    }
    throw CommandFailure.unfollowed(
        "the command's output cannot be written: "
            + Reasons.why(failure)
            + "; the command was killed");
  }

  private void end() {
    try {
      execs
          .attach(execId)
          .onItem()
          .transformToUni(exec -> (terminal ? hangUp(exec) : exec.kill()).eventually(exec::detach))
          .await()
          .atMost(LIMIT);
    } catch (RuntimeException failure) {
      console.note("sandgate: exec " + execId + " may still run: " + failure.getMessage());
    }
  }

  private Uni<Void> hangUp(ExecHandle exec) {
    return exec.hangUp()
        .chain(() -> execs.await(execId, GRACE))
        .chain(seen -> seen.hasResult() ? Uni.createFrom().voidItem() : exec.kill());
  }
}
