// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.SandgateException;
import java.nio.file.FileSystemException;

/** What an entry asks of the node's disk that it has for nobody, which the JDK tells by the kernel's words only. */
enum BeyondDisk {
  /** A copy would be another file, which a layer is not to have in the place of the same one. */
  NAMES(
      "Too many links",
      "its file has more names than a file of this node's disk can have; make some of them files"),
  PATH(
      "File name too long",
      "its path, with the links in it followed, is longer than this node's disk takes; shorten it");

  private final String words;
  private final String fix;

  BeyondDisk(String words, String fix) {
    this.words = words;
    this.fix = fix;
  }

  /** INVALID_ARGUMENT with the entry's name when a failure says so, else the failure. */
  static SandgateException or(FileSystemException failure, String entry)
      throws FileSystemException {
    for (BeyondDisk one : values()) {
      if (String.valueOf(failure.getReason()).contains(one.words)) {
        return TarTree.bad(entry, one.fix);
      }
    }
    throw failure;
  }
}
