// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.cli.SandgateCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs the command line in this process against a platform, and keeps what it printed. */
final class CommandRun {

  private final Platform platform;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  CommandRun(Platform platform) {
    this.platform = platform;
  }

  /** Runs it; gives the exit code. */
  int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = SandgateCommand.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    String data = platform.data().toString();
    String[] where = {"--url", platform.url(), "--key", platform.key(), "--data", data};
    return line.execute(
        Stream.concat(Stream.of(where), Stream.of(arguments)).toArray(String[]::new));
  }

  /** Runs it to a good end; gives what it printed. */
  String done(String... arguments) {
    assertEquals(0, run(arguments), err.toString());
    return out();
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }
}
