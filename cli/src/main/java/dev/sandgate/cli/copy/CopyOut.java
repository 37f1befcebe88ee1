// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.FileType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Copies files out of a sandbox. What is inside is not trusted: names are checked, nothing is written through a symbolic
 * link, links are made last and set-id bits are dropped.
 */
final class CopyOut {

  private static final int DEPTH = 64;
  private static final int READ_AHEAD = 16;

  private final dev.sandgate.client.Files files;
  private final Tally tally;
  private final List<FileInfo> links = new ArrayList<>();
  private String top = "/";
  private Path target = Path.of("");

  CopyOut(dev.sandgate.client.Files files, Tally tally) {
    this.files = files;
    this.tally = tally;
  }

  void copy(String source, Path destination) throws IOException {
    FileInfo info = files.stat(source).await().indefinitely();
    top = strip(source);
    String name = top.substring(top.lastIndexOf('/') + 1);
    target =
        Files.isDirectory(destination) && !name.isEmpty() ? destination.resolve(name) : destination;
    if (info.getType() == FileType.FILE_TYPE_DIRECTORY) {
      directory(info, target);
      tree(top);
    } else {
      entry(info.toBuilder().setPath(top).build());
    }
    for (FileInfo link : links) {
      link(link);
    }
  }

  private static String strip(String path) {
    String stripped = path;
    while (stripped.length() > 1 && stripped.endsWith("/")) {
      stripped = stripped.substring(0, stripped.length() - 1);
    }
    return stripped;
  }

  private void tree(String directory) throws IOException {
    for (FileInfo info : files.list(directory, DEPTH).subscribe().asIterable()) {
      FileInfo absolute =
          info.getPath().startsWith("/")
              ? info
              : info.toBuilder().setPath(join(directory, info.getPath())).build();
      entry(absolute);
      if (absolute.getType() == FileType.FILE_TYPE_DIRECTORY
          && depth(directory, absolute.getPath()) == DEPTH) {
        tree(absolute.getPath());
      }
    }
  }

  private static String join(String directory, String name) {
    return directory.endsWith("/") ? directory + name : directory + "/" + name;
  }

  private static long depth(String directory, String path) {
    return path.substring(directory.length()).chars().filter(c -> c == '/').count();
  }

  private void entry(FileInfo info) throws IOException {
    Path local = local(info.getPath());
    switch (info.getType()) {
      case FILE_TYPE_DIRECTORY -> directory(info, local);
      case FILE_TYPE_REGULAR -> file(info, local);
      case FILE_TYPE_SYMLINK -> links.add(info);
      case FILE_TYPE_OTHER, FILE_TYPE_UNSPECIFIED, UNRECOGNIZED ->
          throw CommandFailure.failed(info.getPath() + " is no file, directory or symbolic link");
    }
  }

  private Path local(String path) {
    String prefix = top.equals("/") ? "/" : top + "/";
    if (path.equals(top)) {
      return target;
    }
    Path relative = Path.of(path.substring(Math.min(path.length(), prefix.length())));
    boolean clean =
        path.startsWith(prefix) && !relative.isAbsolute() && relative.normalize().equals(relative);
    if (!clean || relative.startsWith("..")) {
      throw CommandFailure.failed("the sandbox names an entry outside of " + top + ": " + path);
    }
    return target.resolve(relative);
  }

  private void directory(FileInfo info, Path local) throws IOException {
    if (!Files.isDirectory(local, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(local);
    }
    Set<PosixFilePermission> permissions = permissions(info.getMode());
    permissions.addAll(
        EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE));
    Files.setPosixFilePermissions(local, permissions);
  }

  private void file(FileInfo info, Path local) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            local,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING,
            LinkOption.NOFOLLOW_LINKS)) {
      for (ByteBuffer part :
          files
              .read(info.getPath())
              .subscribe()
              .asIterable(READ_AHEAD, () -> new ArrayBlockingQueue<>(READ_AHEAD))) {
        tally.addBytes(part.remaining());
        while (part.hasRemaining()) {
          out.write(part);
        }
      }
    }
    Files.setPosixFilePermissions(local, permissions(info.getMode()));
    tally.addFile();
  }

  private void link(FileInfo info) throws IOException {
    Path local = local(info.getPath());
    if (Files.isSymbolicLink(local)) {
      Files.delete(local);
    }
    Files.createSymbolicLink(local, Path.of(info.getLinkTarget()));
    tally.addFile();
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    PosixFilePermission[] all = PosixFilePermission.values();
    Set<PosixFilePermission> granted = EnumSet.noneOf(PosixFilePermission.class);
    for (int bit = 0; bit < all.length; bit++) {
      if ((mode & (0400 >> bit)) != 0) {
        granted.add(all[bit]);
      }
    }
    return granted;
  }
}
