// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;

/** Prints the version. */
@Command(name = "version", description = "Print the version.")
final class VersionCommand extends Work {

  /** The version in the jar's manifest. */
  static String version() {
    String version = VersionCommand.class.getPackage().getImplementationVersion();
    return Objects.requireNonNullElse(version, "development");
  }

  @Override
  public Integer call() {
    if (console().json()) {
      console().json(Map.of("version", version(), "java", Runtime.version().toString()));
    } else {
      console().line("sandgate " + version());
    }
    return ExitCode.OK;
  }
}
