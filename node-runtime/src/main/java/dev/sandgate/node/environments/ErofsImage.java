// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.nio.file.Path;
import java.time.Duration;

/** Makes images: uncompressed, with times of the files and nothing of this moment, so that equal trees are equal. */
final class ErofsImage {

  private static final Duration TIMEOUT = Duration.ofMinutes(30);

  private ErofsImage() {}

  static void make(Path tree, Path image) {
    new Tool(
            TIMEOUT,
            "mkfs.erofs",
            "--quiet",
            "-T0",
            "--preserve-mtime",
            "-U00000000-0000-0000-0000-000000000000",
            image.toString(),
            tree.toString())
        .run(_ -> {});
  }
}
