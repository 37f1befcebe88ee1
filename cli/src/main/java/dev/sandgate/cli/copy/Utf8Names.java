// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Refuses names that are not UTF-8, which an archive made here would turn into others. */
final class Utf8Names {

  private static final char REPLACEMENT = '\ufffd';

  private Utf8Names() {}

  /** Refuses a name from a sandbox. */
  static void check(String name) {
    if (name.indexOf(REPLACEMENT) >= 0) {
      throw refused(name);
    }
  }

  /** Refuses a local tree that holds such a name. */
  static void checkTree(Path source) throws IOException {
    Files.walkFileTree(
        source,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
            check(path);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            check(path);
            if (attributes.isSymbolicLink()) {
              check(Files.readSymbolicLink(path).toString());
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  // The URI shows the bytes.
  private static void check(Path path) {
    if (path.toString().indexOf(REPLACEMENT) >= 0) {
      throw refused(path.toUri().getRawPath());
    }
  }

  private static CommandFailure refused(String name) {
    return CommandFailure.failed(
        "cannot copy " + name + ": its name is not UTF-8; rename it, nothing was copied");
  }
}
