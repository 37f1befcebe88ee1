// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.disk.DiskReserve;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Looks at the disk while an archive is unpacked, so often that little more is written once its reserve is reached. One thread. */
final class WatchedWriting {

  private static final long STEP = 8L << 20;
  private static final long ENTRY = 4096;

  private final DiskReserve.Room room;
  private long unseen;

  WatchedWriting(DiskReserve.Room room) {
    this.room = room;
  }

  /** One more entry, of whatever kind; RESOURCE_EXHAUSTED when the reserve is reached. */
  void entry() {
    wrote(ENTRY);
  }

  private void wrote(long bytes) {
    unseen += bytes;
    if (unseen >= STEP) {
      unseen = 0;
      room.require(0);
    }
  }

  /** Copies a file or a link as it is; RESOURCE_EXHAUSTED when there is no room for it. */
  void copy(Path from, Path to) throws IOException {
    try (DiskReserve.Share _ = room.share(size(from))) {
      Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
    }
  }

  private static long size(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).size();
  }

  /** Counts what is written into a file. */
  OutputStream into(OutputStream file) {
    return new FilterOutputStream(file) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        wrote(length);
      }
    };
  }
}
