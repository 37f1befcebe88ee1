// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import dev.sandgate.node.environments.SnapshotLayers;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One walk over a copy that takes out what the rules say and refuses what they forbid. No link is followed. What hides
 * something of the layers below stays: it says nothing but that.
 */
final class Scrub extends SimpleFileVisitor<Path> {

  private static final long MOST_SECRET_BYTES = 1 << 20;
  private static final int TYPE_BITS = 0170000;
  private static final int PIPE = 0010000;

  private final Path root;
  private final Rules rules;
  private final List<String> path = new ArrayList<>();
  private final List<FileTime> times = new ArrayList<>();
  private int doomed;
  private long removed;

  private Scrub(Path root, Rules rules) {
    this.root = root;
    this.rules = rules;
  }

  /** Does it; how many entries were taken out. */
  static long apply(Path root, Rules rules) throws IOException {
    Scrub scrub = new Scrub(root, rules);
    Files.walkFileTree(root, scrub);
    return scrub.removed;
  }

  @Override
  public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
    if (!directory.equals(root)) {
      path.add(String.valueOf(directory.getFileName()));
      refuseForbidden();
      doomed += doomed > 0 || goesWhole() ? 1 : 0;
      requireName(directory);
    }
    times.add(attributes.lastModifiedTime());
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    path.add(String.valueOf(file.getFileName()));
    refuseForbidden();
    if (doomed > 0 || goes(file, attributes)) {
      Files.delete(file);
      removed++;
    } else {
      requireName(file);
    }
    path.removeLast();
    return FileVisitResult.CONTINUE;
  }

  private void requireName(Path entry) {
    if (doomed == 0) {
      SnapshotLayers.requireName(root, entry);
    }
  }

  @Override
  public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
      throws IOException {
    if (failure != null) {
      throw failure;
    }
    FileTime time = times.removeLast();
    if (doomed > 0) {
      Files.delete(directory);
      removed++;
      doomed--;
    } else {
      // Taking entries out of it changed its time.
      Files.getFileAttributeView(directory, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
          .setTimes(time, null, null);
    }
    if (!path.isEmpty()) {
      path.removeLast();
    }
    return FileVisitResult.CONTINUE;
  }

  private boolean goesWhole() {
    return any(rules.scrubbed()) || (!rules.keepResidue() && any(Residue.ENTRIES));
  }

  /** A whiteout is no file of anybody's; a pipe is. */
  private boolean goes(Path file, BasicFileAttributes attributes) throws IOException {
    if (attributes.isOther() && !isPipe(file)) {
      return any(rules.scrubbed());
    }
    if (goesWhole()) {
      return true;
    }
    return !rules.keepResidue() && (any(Residue.FILES) || holdsSecret(file, attributes));
  }

  private static boolean isPipe(Path file) throws IOException {
    int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return (mode & TYPE_BITS) == PIPE;
  }

  private boolean holdsSecret(Path file, BasicFileAttributes attributes) throws IOException {
    if (!attributes.isRegularFile() || attributes.size() > MOST_SECRET_BYTES) {
      return false;
    }
    boolean variables = any(Residue.VARIABLES) && !any(Residue.EXAMPLES);
    if (!variables && !any(Residue.MAY_HOLD_SECRETS)) {
      return false;
    }
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    return Residue.SECRET.matcher(text).find()
        || (variables && Residue.SECRET_VARIABLE.matcher(text).find());
  }

  private boolean any(List<PathPattern> patterns) {
    return patterns.stream().anyMatch(pattern -> pattern.matches(path));
  }

  private void refuseForbidden() {
    for (PathPattern pattern : rules.forbidden()) {
      if (pattern.matches(path)) {
        throw new SandgateException(
            ErrorCode.FAILED_PRECONDITION,
            "rules.forbidden_paths",
            "rules.forbidden_paths: /%s must not be in it (%s)"
                .formatted(String.join("/", path), pattern),
            null);
      }
    }
  }
}
