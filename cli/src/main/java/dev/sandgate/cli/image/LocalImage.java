// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.image;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.copy.ChunkInput;
import dev.sandgate.proto.v1.ExportedImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * An image in local files. It gets its name when it is whole; what was begun is removed when that fails. Of an archive's entries only
 * those of an image layout are taken, and every blob must be what its name says.
 */
final class LocalImage {

  private static final Pattern ENTRY =
      Pattern.compile("oci-layout|index\\.json|blobs/sha256/([0-9a-f]{64})");

  private LocalImage() {}

  /** Refuses a place where something is. */
  static void requireFree(Path directory) {
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw CommandFailure.failed(directory + " exists; choose another directory");
    }
  }

  /** Refuses a place where something is that is no file: it would be replaced by one. */
  static void requireFile(Path file) {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw CommandFailure.failed(file + " is no regular file; choose another file");
    }
  }

  /** Writes an archive; an earlier file of the name is replaced. */
  static ExportedImage archive(Path file, Exporting export) throws IOException {
    Path staged = beside(file);
    try {
      try (InputStream in = new ChunkInput(export);
          OutputStream out = Files.newOutputStream(staged, StandardOpenOption.CREATE_NEW)) {
        in.transferTo(out);
      }
      Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
      return export.rest();
    } finally {
      Files.deleteIfExists(staged);
    }
  }

  /** Writes a layout in a directory of its own. */
  static ExportedImage directory(Path directory, Exporting export) throws IOException {
    Path staged = beside(directory);
    Files.createDirectory(staged);
    try {
      try (TarArchiveInputStream tar = new TarArchiveInputStream(new ChunkInput(export))) {
        for (TarArchiveEntry entry = tar.getNextEntry();
            entry != null;
            entry = tar.getNextEntry()) {
          take(entry.getName(), tar, staged);
        }
      }
      ExportedImage image = export.rest();
      move(staged, directory);
      return image;
    } finally {
      remove(staged);
    }
  }

  private static void move(Path staged, Path directory) throws IOException {
    try {
      Files.move(staged, directory);
    } catch (FileAlreadyExistsException e) {
      throw CommandFailure.failed(directory + " exists by now; choose another directory");
    }
  }

  private static void take(String name, InputStream content, Path staged) throws IOException {
    Matcher entry = ENTRY.matcher(name);
    if (!entry.matches()) {
      throw CommandFailure.failed("the image has an entry that belongs in none: " + name);
    }
    Path file = staged.resolve(name);
    Path parent = file.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    MessageDigest digest = sha256();
    try (OutputStream out =
        new DigestOutputStream(
            Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), digest)) {
      content.transferTo(out);
    }
    String expected = entry.group(1);
    if (expected != null && !expected.equals(HexFormat.of().formatHex(digest.digest()))) {
      throw CommandFailure.failed("a part of the image is not what its name says: " + name);
    }
  }

  private static Path beside(Path path) {
    String name = "%s%08x".formatted(".sandgate-export-", ThreadLocalRandom.current().nextInt());
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

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
