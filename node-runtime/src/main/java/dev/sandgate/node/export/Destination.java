// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** Where the files of an image go, one after another, each of a size that is known before. */
public interface Destination {

  /** Writes a file; its name may have slashes. */
  void put(String name, long size, Content content) throws IOException;

  /** Nothing more comes. */
  void end() throws IOException;

  /** What is in a file. */
  @FunctionalInterface
  interface Content {
    /** Writes it. */
    void to(OutputStream out) throws IOException;
  }

  /**
   * An OCI layout in a directory that is there.
   *
   * @param room is told the bytes of each file before it is written, and throws when there is no room for them
   */
  static Destination directory(Path directory, LongConsumer room) {
    return new LayoutDirectory(directory, room);
  }

  /** An OCI archive: a tar of a layout. */
  static Destination archive(OutputStream out) {
    return new LayoutArchive(out, new TarWriter(out));
  }
}
