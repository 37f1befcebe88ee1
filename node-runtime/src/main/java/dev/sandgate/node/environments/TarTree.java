// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Unpacks a tar archive, gzipped or not, into a directory that nobody else touches. The kernel never follows a link
 * of it; an entry that would leave the directory, or that no layer may have, ends it with its name.
 */
final class TarTree {

  private static final int MAX_ENTRIES = 1_000_000;
  private static final long MAX_BYTES = 64L << 30;
  private static final int MAX_PATH = 3_000;
  private static final long MAX_KEPT = 128L << 20;
  private static final int KEPT_WITH_PATH = 200;
  private static final FileTime UNKNOWN_TIME = FileTime.fromMillis(0);
  private static final String WHITEOUT = ".wh.";

  private final Path root;
  private final Placement placement;
  private final WatchedWriting writing;
  private final long mostKept;
  private final Map<Path, FileTime> directoryTimes = new LinkedHashMap<>();
  private long entries;
  private long bytes;
  private long kept;

  TarTree(Path root, DiskReserve.Room room) {
    this(root, new Placement.Alone(), room);
  }

  TarTree(Path root, Placement placement, DiskReserve.Room room) {
    this(root, placement, room, MAX_KEPT);
  }

  /** With another limit of what is kept in memory for the paths of directories, bytes. */
  TarTree(Path root, Placement placement, DiskReserve.Room room, long mostKept) {
    this.mostKept = mostKept;
    this.root = root;
    this.placement = placement;
    this.writing = new WatchedWriting(room);
  }

  /** Unpacks and says how many entries there were. */
  long unpack(InputStream archive) throws IOException {
    directoryTimes.put(root, UNKNOWN_TIME);
    try (TarReader tar = new TarReader(archive)) {
      for (TarArchiveEntry entry = tar.next(); entry != null; entry = tar.next()) {
        try {
          unpack(tar, entry);
        } catch (FileSystemException e) {
          throw BeyondDisk.or(e, entry.getName());
        }
      }
    } catch (InvalidPathException e) {
      throw bad("the archive", "it has a name that this node cannot write: " + e.getMessage());
    }
    directoryTimes.forEach(TarTree::directoryTime);
    return entries;
  }

  private void unpack(TarReader tar, TarArchiveEntry entry) throws IOException {
    count(entry.getName());
    EntryFacts.check(entry);
    Path named = target(entry.getName());
    if (named.equals(root)) {
      return;
    }
    Path target = placement.place(entry.getName(), named);
    parents(entry.getName(), target);
    if (target.getFileName().toString().startsWith(WHITEOUT)) {
      placement.whiteOut(entry.getName(), target);
      return;
    }
    make(tar, entry, target);
    placement.placed(target);
  }

  /** One entry more, or a directory that none describes. */
  private void count(String name) {
    if (++entries > MAX_ENTRIES) {
      throw bad(
          name,
          "more than %,d entries and directories above them; split the archive"
              .formatted(MAX_ENTRIES));
    }
    writing.entry();
  }

  /** Keeps a directory's time until all is in it. */
  private void keep(String name, Path directory, FileTime time) {
    if (directoryTimes.put(directory, time) == null) {
      kept += name.length() + KEPT_WITH_PATH;
    }
    if (kept > mostKept) {
      throw bad(
          name,
          "the directories' paths are too many and too long; shorten them, or split the archive");
    }
  }

  private void make(TarReader tar, TarArchiveEntry entry, Path target) throws IOException {
    if (entry.isDirectory()) {
      directory(tar, entry, target);
    } else if (entry.isSymbolicLink()) {
      placement.clear(entry.getName(), target, isLink(target));
      ExactEntries.link(target, text(entry, entry.getLinkName()));
      tar.attributes().check(entry.getName());
      own(entry, target);
      time(target, entry.getLastModifiedTime());
    } else if (entry.isLink()) {
      hardLink(entry, target);
    } else if (plainFile(entry) && tar.readable(entry)) {
      file(tar, entry, target);
    } else if (entry.isFIFO() && placement.takesPipes()) {
      tar.attributes().check(entry.getName());
      pipe(entry, target);
    } else if (!placement.leavesOut(target)) {
      throw bad(
          entry.getName(), "devices, pipes and other special entries are not taken; remove it");
    }
  }

  private static boolean plainFile(TarArchiveEntry entry) {
    byte kind = entry.getLinkFlag();
    return kind == TarConstants.LF_NORMAL
        || kind == TarConstants.LF_OLDNORM
        || kind == TarConstants.LF_CONTIG
        || entry.isSparse();
  }

  /** Where an entry goes: below the root, by plain names only. */
  private Path target(String name) {
    if (name.startsWith("/") && !placement.takesAbsolute()) {
      throw bad(name, "it is absolute; make it relative");
    }
    if (name.indexOf('\0') >= 0) {
      throw bad(name, "it has a NUL character");
    }
    if (Fields.bytes(name) > MAX_PATH) {
      throw bad(name, "it is longer than 3,000 bytes; shorten it");
    }
    Path target = root;
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        throw bad(name, "it has .. in it; make it a plain path");
      }
      if (Fields.bytes(part) > ErofsImage.MOST_NAME) {
        throw bad(name, "a name in it is longer than 254 bytes; shorten it");
      }
      if (!part.isEmpty() && !part.equals(".")) {
        target = target.resolve(part);
      }
    }
    return target;
  }

  /** Every directory above an entry must be a real one: made here if it is missing. */
  private void parents(String name, Path target) throws IOException {
    Path directory = root;
    for (Path part : root.relativize(target.getParent())) {
      directory = directory.resolve(part.toString());
      if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        keepTime(name, directory);
        continue;
      }
      if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)
          && !OverlayMarks.isWhiteout(directory)) {
        throw bad(name, "/" + root.relativize(directory) + " above it is no directory");
      }
      if (!part.toString().isEmpty()) {
        count(name);
        Path implied = directory;
        placement.directory(name, implied);
        Files.setAttribute(implied, "unix:mode", 0755);
        keep(name, implied, placement.imply(implied).orElse(UNKNOWN_TIME));
      }
    }
  }

  private void directory(TarReader tar, TarArchiveEntry entry, Path target) throws IOException {
    if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      placement.directory(entry.getName(), target);
    }
    own(entry, target);
    tar.attributes().set(entry.getName(), target);
    Files.setAttribute(target, "unix:mode", entry.getMode() & 07777, LinkOption.NOFOLLOW_LINKS);
    keep(entry.getName(), target, entry.getLastModifiedTime());
  }

  private void hardLink(TarArchiveEntry entry, Path target) throws IOException {
    Path existing = placement.place(entry.getName(), target(text(entry, entry.getLinkName())));
    parents(entry.getName(), existing);
    bring(existing);
    if (!mayHaveMoreNames(existing)) {
      throw bad(
          entry.getName(),
          "it links to " + entry.getLinkName() + ", which is no file of the archive");
    }
    if (existing.equals(target)) {
      return;
    }
    boolean replaces = Files.isSymbolicLink(existing) ? isLink(target) : isFile(target);
    placement.clear(entry.getName(), target, replaces);
    Files.createLink(target, existing);
  }

  /** A file of the trees beneath that gets one more name becomes one of this tree, as an overlay does it. */
  private void bring(Path existing) throws IOException {
    Optional<Path> covered = placement.covered(existing);
    if (covered.isPresent() && (isFile(covered.get()) || isLink(covered.get()))) {
      writing.copy(covered.get(), existing);
      time(existing, Files.getLastModifiedTime(covered.get(), LinkOption.NOFOLLOW_LINKS));
    }
  }

  /** Files do, and so do links and pipes: the name is one of theirs, not of what a link leads to. */
  private static boolean mayHaveMoreNames(Path existing) throws IOException {
    return Files.exists(existing, LinkOption.NOFOLLOW_LINKS)
        && !Files.isDirectory(existing, LinkOption.NOFOLLOW_LINKS)
        && !OverlayMarks.isWhiteout(existing);
  }

  private static boolean isLink(Path target) {
    return Files.isSymbolicLink(target);
  }

  private void file(TarReader tar, TarArchiveEntry entry, Path target) throws IOException {
    if (entry.getRealSize() < 0 || (bytes += entry.getRealSize()) > MAX_BYTES) {
      throw bad(entry.getName(), "the archive unpacks to more than 64 GiB; split it");
    }
    placement.clear(entry.getName(), target, isFile(target));
    try (OutputStream out =
        Files.newOutputStream(
            target,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) {
      tar.copyTo(writing.into(out));
    }
    own(entry, target);
    Files.setAttribute(target, "unix:mode", entry.getMode() & 07777, LinkOption.NOFOLLOW_LINKS);
    tar.attributes().set(entry.getName(), target);
    time(target, entry.getLastModifiedTime());
  }

  private void pipe(TarArchiveEntry entry, Path target) throws IOException {
    placement.clear(entry.getName(), target, false);
    ExactEntries.pipe(target, entry.getMode());
    own(entry, target);
    time(target, entry.getLastModifiedTime());
  }

  private static boolean isFile(Path target) {
    return Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS);
  }

  private static void own(TarArchiveEntry entry, Path target) throws IOException {
    Files.setAttribute(target, "unix:uid", (int) entry.getLongUserId(), LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(target, "unix:gid", (int) entry.getLongGroupId(), LinkOption.NOFOLLOW_LINKS);
  }

  /** A directory of an earlier archive keeps its time when this one adds to it or takes from it. */
  private void keepTime(String name, Path directory) throws IOException {
    if (!directoryTimes.containsKey(directory)) {
      keep(name, directory, Files.getLastModifiedTime(directory, LinkOption.NOFOLLOW_LINKS));
    }
  }

  private static void directoryTime(Path directory, FileTime time) {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      time(directory, time);
    }
  }

  private static void time(Path target, FileTime time) {
    try {
      ExactEntries.time(target, time);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String text(TarArchiveEntry entry, String link) {
    if (link.isEmpty() || link.indexOf('\0') >= 0) {
      throw bad(entry.getName(), "its link is empty or has a NUL character");
    }
    if (Fields.bytes(link) > MAX_PATH) {
      throw bad(entry.getName(), "its link is longer than 3,000 bytes; shorten it");
    }
    return link;
  }

  static SandgateException bad(String entry, String why) {
    return invalid("tar", Fields.shown(entry) + ": " + why);
  }
}
