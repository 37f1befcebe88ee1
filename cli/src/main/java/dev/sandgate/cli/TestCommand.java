// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.Work;
import picocli.CommandLine.Command;

/** Listed for the help only: the launcher script runs the tests itself. */
@Command(name = "test", description = "Build everything and run the whole test suite.")
final class TestCommand extends Work {

  @Override
  public Integer call() {
    throw CommandFailure.usage("test: run it from a source tree with ./sandgate test");
  }
}
