// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Applies one layer of an OCI image (image-spec, layer.md) to a tree that may hold the layers before it, on top of further trees.
 * Its whiteouts remove what earlier layers put into the tree, never what the layer itself has, and hide what is in the trees
 * beneath with the marks of an overlay, where there is something to hide.
 */
final class LayerMerge implements Placement {

  private static final String PREFIX = ".wh.";
  private static final String OPAQUE = ".wh..wh..opq";
  private static final int DIRECTORY_MODE = 0755;
  private static final int SHARED_DIRECTORY_MODE = 01777;

  private final Path root;
  private final Beneath beneath;
  private final Beneath all;
  private final WrittenPaths written = new WrittenPaths();

  LayerMerge(Path root, Beneath beneath) {
    this.root = root;
    this.beneath = beneath;
    this.all = beneath.under(root);
  }

  /** As every tool that unpacks images takes it. */
  @Override
  public boolean takesAbsolute() {
    return true;
  }

  /** An image may write through the links of its layers below, as `bin/x` where `/bin` is a link. */
  @Override
  public Path place(String entry, Path path) throws IOException {
    return root.resolve(
        all.resolve(root.relativize(path))
            .orElseThrow(() -> TarTree.bad(entry, "the links above it lead in a circle")));
  }

  @Override
  public void whiteOut(String entry, Path path) throws IOException {
    String name = path.getFileName().toString();
    if (name.equals(OPAQUE)) {
      hideAll(Objects.requireNonNull(path.getParent()));
      return;
    }
    String hidden = name.substring(PREFIX.length());
    if (hidden.isEmpty() || hidden.equals(".") || hidden.equals("..")) {
      throw TarTree.bad(entry, "it is a whiteout of no name");
    }
    hide(path.resolveSibling(hidden));
  }

  private void hide(Path path) throws IOException {
    if (written.contains(path)) {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        hideAll(path);
      }
      return;
    }
    Tree.delete(path);
    if (isBeneath(path)) {
      if (Tree.isPlatforms(root, path)) {
        empty(path);
      } else {
        OverlayMarks.whiteOut(path);
      }
    }
  }

  /** What every sandbox has is empty, never missing. */
  private static void empty(Path directory) throws IOException {
    Files.createDirectory(directory);
    boolean shared = directory.endsWith("tmp");
    Files.setAttribute(directory, "unix:mode", shared ? SHARED_DIRECTORY_MODE : DIRECTORY_MODE);
    OverlayMarks.makeOpaque(directory);
  }

  private void hideAll(Path directory) throws IOException {
    removeEarlier(directory);
    if (directory.equals(root)) {
      // An overlay takes no notice of a mark on a layer's own root.
      for (Path name : beneath.rootNames()) {
        hide(root.resolve(name));
      }
    } else if (isBeneath(directory)) {
      OverlayMarks.makeOpaque(directory);
    }
  }

  private void removeEarlier(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (!written.contains(entry)) {
          Tree.delete(entry);
        } else if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          removeEarlier(entry);
        }
      }
    }
  }

  private boolean isBeneath(Path path) throws IOException {
    return beneath.find(root.relativize(path)).isPresent();
  }

  @Override
  public Optional<Path> covered(Path path) throws IOException {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        ? Optional.empty()
        : all.find(root.relativize(path));
  }

  @Override
  public void clear(String entry, Path path, boolean replaces) throws IOException {
    if (written.contains(path) && !replaces) {
      throw TarTree.bad(entry, "it is in its layer twice, as different kinds of entries");
    }
    Tree.delete(path);
  }

  /** What was no directory hid all beneath it, and so does the directory in its place. */
  @Override
  public void directory(String entry, Path path) throws IOException {
    boolean replaces = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    if (replaces) {
      clear(entry, path, false);
    }
    Files.createDirectory(path);
    if (replaces && isBeneath(path)) {
      OverlayMarks.makeOpaque(path);
    }
  }

  /** An overlay shows the owner, mode and attributes of the uppermost directory. */
  @Override
  public Optional<FileTime> imply(Path directory) throws IOException {
    if (OverlayMarks.isOpaque(directory)) {
      return Optional.empty();
    }
    Optional<Path> covered = beneath.find(root.relativize(directory));
    if (covered.isEmpty() || !Files.isDirectory(covered.get(), LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    for (String name : List.of("unix:uid", "unix:gid", "unix:mode")) {
      Object value = Files.getAttribute(covered.get(), name, LinkOption.NOFOLLOW_LINKS);
      Files.setAttribute(directory, name, value, LinkOption.NOFOLLOW_LINKS);
    }
    OverlayMarks.copyUser(covered.get(), directory);
    return Optional.of(Files.getLastModifiedTime(covered.get(), LinkOption.NOFOLLOW_LINKS));
  }

  @Override
  public boolean takesPipes() {
    return true;
  }

  /** Every sandbox gets a /dev of its own. */
  @Override
  public boolean leavesOut(Path path) {
    return root.relativize(path).startsWith("dev");
  }

  @Override
  public void placed(Path path) {
    Path at = path;
    while (at != null && !at.equals(root) && written.add(at)) {
      at = at.getParent(); // a directory that holds what the layer has is the layer's, too
    }
  }
}
