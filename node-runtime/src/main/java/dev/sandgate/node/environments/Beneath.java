// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Trees of layers seen as one, as an overlay shows them. Every name is looked up one by one; the kernel never follows a link of
 * the trees, which nobody else touches.
 *
 * @param trees the uppermost first
 */
record Beneath(List<Path> trees) {

  static final Beneath NOTHING = new Beneath(List.of());

  private static final int MOST_LINKS = 40;

  Beneath {
    trees = List.copyOf(trees);
  }

  /** With one more tree on top. */
  Beneath under(Path top) {
    List<Path> all = new ArrayList<>(List.of(top));
    all.addAll(trees);
    return new Beneath(all);
  }

  /** The entry that is seen under a relative path whose directories are no links, if any. */
  Optional<Path> find(Path relative) throws IOException {
    for (Path tree : trees) {
      Found found = find(tree, relative);
      if (found.entry() != null || found.hidden()) {
        return Optional.ofNullable(found.entry());
      }
    }
    return Optional.empty();
  }

  /** The names in the root directories of the trees, those that an upper tree hides included. */
  Set<Path> rootNames() throws IOException {
    Set<Path> names = new TreeSet<>();
    for (Path tree : trees) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(tree)) {
        entries.forEach(entry -> names.add(entry.getFileName()));
      }
    }
    return names;
  }

  /** What one tree has; {@code hidden} when lower ones do not count. */
  private record Found(@Nullable Path entry, boolean hidden) {}

  private static Found find(Path tree, Path relative) throws IOException {
    Path at = tree;
    boolean opaque = false;
    for (Path name : relative) {
      if (!Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
        return new Found(null, true);
      }
      opaque |= OverlayMarks.isOpaque(at);
      at = at.resolve(name);
      if (!Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
        return new Found(null, opaque);
      }
      if (OverlayMarks.isWhiteout(at)) {
        return new Found(null, true);
      }
    }
    return new Found(at, true);
  }

  /**
   * Where a name leads when links among its directories are followed within the trees; its last part is not. Parts that do not
   * exist stay as they are. Empty when links lead in a circle.
   */
  Optional<Path> resolve(Path relative) throws IOException {
    Deque<String> left = new ArrayDeque<>();
    relative.forEach(name -> left.add(name.toString()));
    Path at = Path.of("");
    for (int links = 0; !left.isEmpty(); ) {
      String name = left.removeFirst();
      if (name.isEmpty() || name.equals(".")) {
        continue;
      }
      if (name.equals("..")) {
        at = at.getParent() == null ? Path.of("") : at.getParent();
        continue;
      }
      Path next = at.toString().isEmpty() ? Path.of(name) : at.resolve(name);
      Optional<Path> entry = left.isEmpty() ? Optional.empty() : find(next);
      if (entry.isEmpty() || !Files.isSymbolicLink(entry.get())) {
        at = next;
        continue;
      }
      if (++links > MOST_LINKS) {
        return Optional.empty();
      }
      at = follow(Files.readSymbolicLink(entry.get()), at, left);
    }
    return Optional.of(at);
  }

  private static Path follow(Path link, Path from, Deque<String> left) {
    List<String> parts = new ArrayList<>();
    link.forEach(part -> parts.add(part.toString()));
    for (String part : parts.reversed()) {
      left.addFirst(part);
    }
    return link.isAbsolute() ? Path.of("") : from;
  }
}
