// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.proto.v1.Command;
import io.smallrye.mutiny.Uni;
import java.util.Optional;

/** The program that does nothing, run in a sandbox; anything but its exit with 0 is an error. */
final class Commands {

  private static final Command TRUE = Command.newBuilder().addArgv("/bin/true").build();

  private Commands() {}

  /** With `Execs/Run`: one answer at its end. */
  static void run(SandboxHandle sandbox) {
    check(Platform.await(sandbox.execs().run(TRUE)), sandbox);
  }

  /** With a stream of its events, read to the end. */
  static void stream(SandboxHandle sandbox) {
    ExecEvent last = Platform.await(sandbox.execs().stream(TRUE).collect().last());
    if (!(last instanceof ExecEvent.Exited exited)) {
      throw new IllegalStateException("no exit of a command in " + sandbox.id() + " but " + last);
    }
    check(exited.result(), sandbox);
  }

  /** Runs it; gives what went wrong, or nothing. */
  static Uni<Optional<String>> failure(SandboxHandle sandbox) {
    return sandbox
        .execs()
        .run(TRUE)
        .map(result -> result.ok() ? Optional.<String>empty() : Optional.of(result.toString()))
        .onFailure()
        .recoverWithItem(failure -> Optional.of(sandbox.id() + ": " + failure.getMessage()));
  }

  private static void check(ExecResult result, SandboxHandle sandbox) {
    if (!result.ok()) {
      throw new IllegalStateException("true in " + sandbox.id() + " ended with " + result);
    }
  }
}
