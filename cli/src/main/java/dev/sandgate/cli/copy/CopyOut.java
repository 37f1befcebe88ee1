// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.proto.v1.FileInfo;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Copies files out of a sandbox, a directory as an archive that is unpacked while it arrives. What is inside is not
 * trusted: names are checked, nothing is written through a symbolic link, links are made last and set-id bits are dropped.
 */
final class CopyOut {

  private static final int READ_AHEAD = 16;
  private static final int LIST_DEPTH = 64;

  /** A symbolic link to make when everything else is there. */
  private record Link(Path local, String target) {}

  private final dev.sandgate.client.Files files;
  private final Tally tally;
  private final List<Link> links = new ArrayList<>();
  private Path target = Path.of("");

  CopyOut(dev.sandgate.client.Files files, Tally tally) {
    this.files = files;
    this.tally = tally;
  }

  void copy(String source, Path destination) throws IOException {
    FileInfo info = files.stat(source).await().indefinitely();
    String path = strip(source);
    String name = path.substring(path.lastIndexOf('/') + 1);
    target =
        Files.isDirectory(destination) && !name.isEmpty() ? destination.resolve(name) : destination;
    Path parent = target.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    switch (info.getType()) {
      case FILE_TYPE_DIRECTORY -> directory(path);
      case FILE_TYPE_REGULAR ->
          file(new ChunkInput(chunks(files.read(path))), target, info.getMode());
      case FILE_TYPE_SYMLINK -> links.add(new Link(target, info.getLinkTarget()));
      case FILE_TYPE_OTHER, FILE_TYPE_UNSPECIFIED, UNRECOGNIZED -> throw special(path);
    }
    makeLinks();
  }

  private void makeLinks() throws IOException {
    for (Link link : links) {
      link(link);
    }
    links.clear();
  }

  private void directory(String path) throws IOException {
    for (FileInfo entry : files.list(path, LIST_DEPTH).subscribe().asIterable()) {
      Utf8Names.check(entry.getPath());
    }
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      tree(path);
      return;
    }
    Path whole = target;
    target = beside(whole);
    try {
      tree(path);
      makeLinks();
      Files.move(target, whole);
    } catch (IOException | RuntimeException failure) {
      remove(target);
      throw failure;
    }
  }

  private static Path beside(Path path) {
    String name = "%s%08x".formatted(".sandgate-cp-", ThreadLocalRandom.current().nextInt());
    return path.toAbsolutePath().resolveSibling(name);
  }

  private static void remove(Path tree) throws IOException {
    if (Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> entries = Files.walk(tree)) {
        for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(entry);
        }
      }
    }
  }

  private static CommandFailure special(String path) {
    return CommandFailure.failed(path + " is no file, directory or symbolic link");
  }

  private static java.util.Iterator<ByteBuffer> chunks(Multi<ByteBuffer> stream) {
    return stream
        .subscribe()
        .asIterable(READ_AHEAD, () -> new ArrayBlockingQueue<>(READ_AHEAD))
        .iterator();
  }

  private static String strip(String path) {
    String stripped = path;
    while (stripped.length() > 1 && stripped.endsWith("/")) {
      stripped = stripped.substring(0, stripped.length() - 1);
    }
    return stripped;
  }

  private void tree(String source) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(
            new ChunkInput(chunks(files.trees().download(source))),
            StandardCharsets.UTF_8.name())) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        entry(tar, entry);
      }
    }
  }

  private void entry(TarArchiveInputStream tar, TarArchiveEntry entry) throws IOException {
    Path local = local(entry.getName());
    if (entry.isSymbolicLink()) {
      links.add(new Link(local, entry.getLinkName()));
    } else if (entry.isDirectory()) {
      directory(local, entry.getMode());
    } else if (entry.isFile() && !entry.isLink() && !entry.isSparse()) {
      file(tar, local, entry.getMode());
    } else {
      throw special(entry.getName());
    }
  }

  private Path local(String name) {
    Utf8Names.check(name);
    Path relative = Path.of(name);
    boolean clean = !relative.isAbsolute() && !relative.normalize().startsWith("..");
    if (name.equals("./")) {
      return target;
    }
    if (!clean || !relative.normalize().equals(relative) || relative.toString().isEmpty()) {
      throw CommandFailure.failed("the sandbox names an entry outside of the directory: " + name);
    }
    return target.resolve(relative);
  }

  private void directory(Path local, int mode) throws IOException {
    if (!Files.isDirectory(local, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(local);
    }
    Set<PosixFilePermission> permissions = permissions(mode);
    permissions.addAll(
        EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE));
    Files.setPosixFilePermissions(local, permissions);
  }

  private void file(InputStream content, Path local, int mode) throws IOException {
    if (Files.exists(local, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(local, LinkOption.NOFOLLOW_LINKS)) {
      throw CommandFailure.failed("cannot write " + local + ": it is no regular file");
    }
    Path staged = beside(local);
    try {
      try (var out =
          Files.newByteChannel(staged, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        tally.addBytes(content.transferTo(Channels.newOutputStream(out)));
      }
      Files.setPosixFilePermissions(staged, permissions(mode));
      Files.move(staged, local, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException failure) {
      Files.deleteIfExists(staged);
      throw failure;
    }
    tally.addFile();
  }

  private void link(Link link) throws IOException {
    if (Files.isSymbolicLink(link.local())) {
      Files.delete(link.local());
    }
    Files.createSymbolicLink(link.local(), Path.of(link.target()));
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
