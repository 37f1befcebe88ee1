// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.sandgate.spi.Files.FileInfo;
import dev.sandgate.spi.Files.FileType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Descriptions of entries, symbolic links not followed. */
final class Entries implements BlockingStream.Source<FileInfo> {

  private static final int S_IFMT = 0170000;

  private final String named;
  private final Path real;
  private final Stream<Path> walk;
  private final Iterator<Path> paths;

  private Entries(String named, Path real, Stream<Path> walk) {
    this.named = named;
    this.real = real;
    this.walk = walk;
    this.paths = walk.iterator();
  }

  static Entries below(String named, Path real, int depth) throws IOException {
    Files.readAttributes(real, "unix:mode", NOFOLLOW_LINKS);
    return new Entries(named, real, Files.walk(real, depth));
  }

  @Override
  public Optional<FileInfo> next() throws IOException {
    while (paths.hasNext()) {
      Path path = paths.next();
      if (!path.equals(real)) {
        return Optional.of(info(named + "/" + real.relativize(path), path));
      }
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    walk.close();
  }

  static FileInfo info(String named, Path path) throws IOException {
    Map<String, Object> unix =
        Files.readAttributes(path, "unix:mode,uid,gid,size,lastModifiedTime", NOFOLLOW_LINKS);
    int mode = (Integer) unix.get("mode");
    FileType type = type(mode);
    String target = type == FileType.SYMLINK ? Files.readSymbolicLink(path).toString() : "";
    return new FileInfo(
        named,
        type,
        mode & 07777,
        (Integer) unix.get("uid"),
        (Integer) unix.get("gid"),
        (Long) unix.get("size"),
        ((FileTime) unix.get("lastModifiedTime")).to(TimeUnit.NANOSECONDS),
        target);
  }

  private static FileType type(int mode) {
    return switch (mode & S_IFMT) {
      case 0100000 -> FileType.REGULAR;
      case 0040000 -> FileType.DIRECTORY;
      case 0120000 -> FileType.SYMLINK;
      default -> FileType.OTHER;
    };
  }
}
