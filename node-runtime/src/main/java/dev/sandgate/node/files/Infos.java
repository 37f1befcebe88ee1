// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FileChangeKind;
import dev.sandgate.proto.v1.FileEventKind;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.FileType;
import dev.sandgate.proto.v1.WatchFilesResponse;
import dev.sandgate.spi.Change;
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
        .setModifiedAt(time(info.modifiedNanos()))
        .setLinkTarget(info.linkTarget())
        .build();
  }

  static WatchFilesResponse shown(Files.FileEvent event) {
    return WatchFilesResponse.newBuilder()
        .setKind(kind(event.kind()))
        .setDirectory(event.directory())
        .setPath(event.path())
        .setTo(event.to())
        .build();
  }

  private static FileEventKind kind(Files.EventKind kind) {
    return switch (kind) {
      case STARTED -> FileEventKind.FILE_EVENT_KIND_STARTED;
      case CREATED -> FileEventKind.FILE_EVENT_KIND_CREATED;
      case MODIFIED -> FileEventKind.FILE_EVENT_KIND_MODIFIED;
      case REMOVED -> FileEventKind.FILE_EVENT_KIND_REMOVED;
      case MOVED -> FileEventKind.FILE_EVENT_KIND_MOVED;
      case ATTRIBUTES -> FileEventKind.FILE_EVENT_KIND_ATTRIBUTES;
      case LOST -> FileEventKind.FILE_EVENT_KIND_LOST;
    };
  }

  static FileChange shown(Change change) {
    FileChange.Builder shown =
        FileChange.newBuilder()
            .setKind(kind(change.kind()))
            .setType(type(change.type()))
            .setPath(change.path())
            .setSize(change.size())
            .setEmptied(change.emptied());
    if (change.changedNanos() != 0) {
      shown.setChangedAt(time(change.changedNanos()));
    }
    return shown.build();
  }

  private static Timestamp time(long nanos) {
    return Timestamp.newBuilder()
        .setSeconds(Math.floorDiv(nanos, NANOS))
        .setNanos((int) Math.floorMod(nanos, NANOS))
        .build();
  }

  static FileChangeKind kind(Change.Kind kind) {
    return switch (kind) {
      case ADDED -> FileChangeKind.FILE_CHANGE_KIND_ADDED;
      case MODIFIED -> FileChangeKind.FILE_CHANGE_KIND_MODIFIED;
      case REMOVED -> FileChangeKind.FILE_CHANGE_KIND_REMOVED;
    };
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
