// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.connection;

import dev.sandgate.cli.output.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the commands share: their place on the command line, the global options, the console. */
public abstract class Work implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init")
  protected Work() {}

  /** The command's place on the command line. */
  protected final CommandSpec spec() {
    return spec;
  }

  /** The global options. */
  protected final GlobalOptions global() {
    return GlobalOptions.of(spec);
  }

  /** Where to write. */
  protected final Console console() {
    return global().console(spec);
  }

  /** Does it; gives the exit code. */
  @Override
  public abstract Integer call() throws Exception;
}
