// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.function;

import com.google.protobuf.ByteString;
import dev.sandgate.cli.connection.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What is read from files and from this process's stdin, which can be read once only. */
final class Inputs {

  private static final String STDIN = "-";

  private Inputs() {}

  /** A file's content, where {@code -} is stdin unless the other input is. */
  static ByteString read(String file, @Nullable String other) throws IOException {
    if (!file.equals(STDIN)) {
      return ByteString.copyFrom(Files.readAllBytes(Path.of(file)));
    }
    if (STDIN.equals(other)) {
      throw CommandFailure.usage("--stdin: the source is read from stdin already: give a file");
    }
    return ByteString.readFrom(System.in);
  }
}
