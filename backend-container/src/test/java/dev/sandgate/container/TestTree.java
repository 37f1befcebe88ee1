// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directories that a test made. */
final class TestTree {

  private TestTree() {}

  /** Removes a directory that a spawner, which is about to end, may still be filling. */
  static void delete(Path directory) {
    Eventually.holds("deleted " + directory, () -> deleted(directory));
  }

  private static boolean deleted(Path directory) {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
      return true;
    } catch (IOException | UncheckedIOException stillFilled) {
      return !Files.exists(directory);
    }
  }
}
