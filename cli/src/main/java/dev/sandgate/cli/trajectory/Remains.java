// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.trajectory;

import dev.sandgate.cli.output.Names;
import dev.sandgate.client.Files;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FileChangeKind;
import dev.sandgate.proto.v1.FileInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a sandbox changed in its environment: by path, with all that two runs of the same commands should agree on. */
final class Remains {

  /** More are not compared. */
  static final int MOST = 20_000;

  private final Map<String, String> byPath = new TreeMap<>();

  private Remains() {}

  /** Looks into a sandbox; empty when it changed too much. */
  static Optional<Remains> of(SandboxHandle sandbox) {
    List<FileChange> changes =
        sandbox
            .files()
            .trees()
            .changes()
            .select()
            .first(MOST + 1)
            .collect()
            .asList()
            .await()
            .indefinitely();
    if (changes.size() > MOST) {
      return Optional.empty();
    }
    Remains remains = new Remains();
    Files files = sandbox.files().as("root");
    changes.forEach(change -> remains.byPath.put(change.getPath(), shown(change, files)));
    return Optional.of(remains);
  }

  int count() {
    return byPath.size();
  }

  /** Paths that are not alike, with how each side has them. */
  List<Difference> differences(Remains replayed) {
    List<Difference> found = new ArrayList<>();
    TreeSet<String> paths = new TreeSet<>(byPath.keySet());
    paths.addAll(replayed.byPath.keySet());
    for (String path : paths) {
      String recorded = byPath.getOrDefault(path, "unchanged");
      String again = replayed.byPath.getOrDefault(path, "unchanged");
      if (!recorded.equals(again)) {
        found.add(new Difference(path, recorded, again));
      }
    }
    return found;
  }

  /**
   * A path that the two do not agree on.
   *
   * @param path absolute
   * @param recorded how the recorded sandbox has it
   * @param replayed how the new one has it
   */
  record Difference(String path, String recorded, String replayed) {
    Map<String, Object> json() {
      return Map.of("path", path, "recorded", recorded, "replayed", replayed);
    }
  }

  private static String shown(FileChange change, Files files) {
    String kind = Names.of(change.getKind()) + " " + Names.of(change.getType());
    if (change.getKind() == FileChangeKind.FILE_CHANGE_KIND_REMOVED) {
      return kind;
    }
    FileInfo info = files.stat(change.getPath()).await().indefinitely();
    String mode = "%s %04o %d:%d".formatted(kind, info.getMode(), info.getUid(), info.getGid());
    return switch (info.getType()) {
      case FILE_TYPE_REGULAR ->
          mode + " " + info.getSize() + " bytes, sha256 " + hash(change, files);
      case FILE_TYPE_SYMLINK -> mode + " to " + info.getLinkTarget();
      case FILE_TYPE_DIRECTORY -> change.getEmptied() ? mode + " emptied" : mode;
      case FILE_TYPE_OTHER, FILE_TYPE_UNSPECIFIED, UNRECOGNIZED -> mode;
    };
  }

  private static String hash(FileChange change, Files files) {
    return files.checksum(change.getPath()).await().indefinitely().getSha256();
  }
}
