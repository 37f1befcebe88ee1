// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.spi.ExecEvent;

/** How a command ended, with all its output. */
record Result(ExecEvent.Exited exit, Capture out, Capture err) {

  String stdout() {
    return out.text();
  }

  String stderr() {
    return err.text();
  }

  /** Stdout without its last newline, of a command that must have succeeded. */
  String line() {
    succeeded();
    return stdout().strip();
  }

  Result succeeded() {
    assertEquals(0, exit.exitCode(), () -> this + " " + stderr());
    return this;
  }

  /** Whether the signal ended it; a plain process API shows that as 128 plus the number. */
  boolean endedBy(int signal, boolean plainProcess) {
    return (exit.exitCode() == -1 && exit.signal() == signal)
        || (plainProcess && exit.exitCode() == 128 + signal);
  }
}
