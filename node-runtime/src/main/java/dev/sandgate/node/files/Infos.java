// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.FileType;
import dev.sandgate.spi.Files;

/** Entries and modes between the API and the SPI. */
final class Infos {

  private static final long NANOS = 1_000_000_000;

  private Infos() {}

  static FileInfo shown(Files.FileInfo info) {
    return FileInfo.newBuilder()
        .setPath(info.path())
        .setType(type(info.type()))
        .setMode(info.mode())
        .setUid(info.uid())
        .setGid(info.gid())
        .setSize(info.size())
        .setModifiedAt(
            Timestamp.newBuilder()
                .setSeconds(Math.floorDiv(info.modifiedNanos(), NANOS))
                .setNanos((int) Math.floorMod(info.modifiedNanos(), NANOS)))
        .setLinkTarget(info.linkTarget())
        .build();
  }

  /** Permission bits, or a default for 0. */
  static int mode(int asked, int otherwise) {
    return (int) Fields.rangeOr("mode", asked, 1, 07777, otherwise);
  }

  private static FileType type(Files.FileType type) {
    return switch (type) {
      case REGULAR -> FileType.FILE_TYPE_REGULAR;
      case DIRECTORY -> FileType.FILE_TYPE_DIRECTORY;
      case SYMLINK -> FileType.FILE_TYPE_SYMLINK;
      case OTHER -> FileType.FILE_TYPE_OTHER;
    };
  }
}
