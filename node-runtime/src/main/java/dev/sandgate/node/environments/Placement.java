// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;

/** Where the entries of an archive go, and what becomes of what is in their way. Paths are below the tree's root. */
interface Placement {

  /** Whether an absolute name is taken, as one below the tree's root. */
  boolean takesAbsolute();

  /** Where an entry goes whose path among the archive's names is this one. */
  Path place(String entry, Path path) throws IOException;

  /** An entry with the name of an OCI whiteout. */
  void whiteOut(String entry, Path path) throws IOException;

  /** What is seen under a path that the tree itself does not have. */
  Optional<Path> covered(Path path) throws IOException;

  /** Makes way for an entry that is no directory; {@code replaces} when it may take the place of one of its kind. */
  void clear(String entry, Path path, boolean replaces) throws IOException;

  /** Makes a directory, unless it is there. */
  void directory(String entry, Path path) throws IOException;

  /** Makes a new directory that no entry describes like the one it covers, if any; returns that one's time. */
  Optional<FileTime> imply(Path directory) throws IOException;

  /** Whether it may have pipes. */
  boolean takesPipes();

  /** Whether a device or another special entry may be missing. */
  boolean leavesOut(Path path);

  /** An entry is in place. */
  void placed(Path path) throws IOException;

  /** One archive alone: every name is taken once, a file also again; whiteouts have nothing to hide. */
  record Alone() implements Placement {

    @Override
    public boolean takesAbsolute() {
      return false;
    }

    @Override
    public Path place(String entry, Path path) {
      return path;
    }

    @Override
    public void whiteOut(String entry, Path path) {
      throw TarTree.bad(
          entry,
          "OCI whiteouts are not taken in a tar; import the image, or its merged file system");
    }

    @Override
    public Optional<Path> covered(Path path) {
      return Optional.empty();
    }

    @Override
    public void clear(String entry, Path path, boolean replaces) throws IOException {
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        if (!replaces) {
          throw TarTree.bad(entry, "it is in the archive twice, as different kinds of entries");
        }
        Files.delete(path);
      }
    }

    @Override
    public void directory(String entry, Path path) throws IOException {
      clear(entry, path, false);
      Files.createDirectory(path);
    }

    @Override
    public Optional<FileTime> imply(Path directory) {
      return Optional.empty();
    }

    @Override
    public boolean takesPipes() {
      return false;
    }

    @Override
    public boolean leavesOut(Path path) {
      return false;
    }

    @Override
    public void placed(Path path) {
      // Nothing is kept of it.
    }
  }
}
