// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A directory that is to become a layer, checked before it does. */
final class Tree {

  private static final List<String> REAL_DIRECTORIES = List.of("dev", "proc", "sys", "etc", "tmp");
  private static final int TYPE_BITS = 0170000;
  private static final int CHARACTER_DEVICE = 0020000;
  private static final int PIPE = 0010000;

  private Tree() {}

  /** Refuses what must not be in a layer, with the entry's name; overlay whiteouts may. Says how many bytes its files have. */
  static long check(Path root) throws IOException {
    checkPlaces(root);
    return checkEntries(root, false);
  }

  /** As {@link #check}; what is exported of sandboxes may hold pipes. */
  static long checkImage(Path root) throws IOException {
    checkPlaces(root);
    return checkEntries(root, true);
  }

  /** Whether an entry is a directory that the platform needs in every root. */
  static boolean isPlatforms(Path root, Path entry) {
    return root.equals(entry.getParent())
        && REAL_DIRECTORIES.contains(String.valueOf(entry.getFileName()));
  }

  /** Refuses a tree whose directories of the platform are not real. */
  static void checkPlaces(Path root) {
    for (String name : REAL_DIRECTORIES) {
      Path entry = root.resolve(name);
      if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)
          && !Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        throw unsafe("/" + name, "it must be a real directory or missing");
      }
    }
  }

  private static long checkEntries(Path root, boolean pipes) throws IOException {
    AtomicLong bytes = new AtomicLong();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path entry, BasicFileAttributes attributes)
              throws IOException {
            checkFacts(root, entry);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            checkFacts(root, file);
            if (attributes.isOther() && !whiteout(file) && !(pipes && pipe(file))) {
              throw unsafe(
                  "/" + root.relativize(file),
                  "devices, pipes and sockets are not taken; remove it");
            }
            // Each name of a file stands for its share.
            int names = (int) Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS);
            bytes.addAndGet(attributes.size() / Math.max(1, names));
            return FileVisitResult.CONTINUE;
          }
        });
    return bytes.get();
  }

  private static void checkFacts(Path root, Path entry) throws IOException {
    if (!entry.equals(root) && !ErofsImage.holdsName(entry)) {
      throw unsafe("/" + root.relativize(entry), "its name is longer than 254 bytes; shorten it");
    }
    long owner = id(entry, "unix:uid");
    long group = id(entry, "unix:gid");
    if (!EntryFacts.isId(owner) || !EntryFacts.isId(group)) {
      throw unsafe(
          "/" + root.relativize(entry),
          "its owner is %d:%d, and a sandbox has ids up to %,d; chown it"
              .formatted(owner, group, EntryFacts.MOST_ID));
    }
  }

  private static long id(Path entry, String attribute) throws IOException {
    int id = (int) Files.getAttribute(entry, attribute, LinkOption.NOFOLLOW_LINKS);
    return Integer.toUnsignedLong(id);
  }

  /** Removes a tree; links are removed, not followed. */
  static void delete(Path root) throws IOException {
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(
              Path directory, @org.jspecify.annotations.Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static boolean pipe(Path file) throws IOException {
    int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return (mode & TYPE_BITS) == PIPE;
  }

  private static boolean whiteout(Path file) throws IOException {
    int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    long device = (long) Files.getAttribute(file, "unix:rdev", LinkOption.NOFOLLOW_LINKS);
    return (mode & TYPE_BITS) == CHARACTER_DEVICE && device == 0;
  }

  private static SandgateException unsafe(String entry, String fix) {
    return new SandgateException(ErrorCode.ROOTFS_UNSAFE, entry + ": " + fix);
  }
}
