// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.disk.DiskReserve;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/**
 * Makes images: uncompressed, with the times of the files and nothing of this moment, so that equal trees make
 * equal images. The tool takes {@code SOURCE_DATE_EPOCH} for its own time and cuts later times of files to it, all as numbers
 * without sign, where times before 1970 are the latest: the largest that it takes cuts none but the last two seconds of 1969.
 */
final class ErofsImage {

  /** The tool cuts longer names of files, and then does not find them, or finds others. Bytes. */
  static final int MOST_NAME = 254;

  private static final Duration TIMEOUT = Duration.ofMinutes(30);
  private static final String LATEST_TIME = "18446744073709551614";

  private ErofsImage() {}

  /** Whether an entry's name is one that an image holds. */
  static boolean holdsName(Path entry) {
    String name = String.valueOf(entry.getFileName());
    return Fields.bytes(name) <= MOST_NAME || exactBytes(entry) <= MOST_NAME;
  }

  /** A name that is not UTF-8 is longer as text than it is. */
  private static int exactBytes(Path entry) {
    String escaped = entry.toUri().getRawPath().replaceAll("/+$", "");
    String name = escaped.substring(escaped.lastIndexOf('/') + 1);
    return name.replaceAll("%..", "x").length();
  }

  static void make(Path tree, Path image, DiskReserve.Room room) {
    make(tree, image, new UUID(0, 0), room);
  }

  /** With an identity of its own: the same tree under another one is another image. */
  static void make(Path tree, Path image, UUID identity, DiskReserve.Room room) {
    mkfs(tree, image, identity).within(room).run(_ -> {});
  }

  private static Tool mkfs(Path tree, Path image, UUID identity) {
    return new Tool(
            TIMEOUT,
            "mkfs.erofs",
            "--quiet",
            "--preserve-mtime",
            "-U" + identity,
            image.toString(),
            tree.toString())
        .with("SOURCE_DATE_EPOCH", LATEST_TIME);
  }
}
