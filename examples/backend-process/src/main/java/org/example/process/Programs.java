// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds executables as a shell would. */
final class Programs {

  static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private Programs() {}

  /** The program to run, or the refusal that the caller must see instead of an exit code 127. */
  static Path resolve(String program, Path cwd, String path) {
    Optional<Path> found =
        program.contains("/")
            ? Optional.of(cwd.resolve(program)).filter(Programs::executable)
            : find(program, path);
    return found.orElseThrow(
        () -> new SandgateException(ErrorCode.EXEC_FAILED, program + ": not found or not executable"));
  }

  static Optional<Path> find(String name, String path) {
    for (String directory : path.split(":", -1)) {
      Path candidate = Path.of(directory, name);
      if (executable(candidate)) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  private static boolean executable(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }
}
