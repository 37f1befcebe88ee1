// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Images by digest: {@code layers/sha256-<hex>.erofs}, written once, never changed. */
final class LayerStore {

  private static final Logger LOG = LoggerFactory.getLogger(LayerStore.class);
  private static final String SUFFIX = ".erofs";
  private static final int BUFFER = 1 << 20;

  private final Path directory;
  private final Consumer<String> forget;
  private final Map<String, Map<String, Object>> adopted = new ConcurrentHashMap<>();

  /**
   * What an earlier run left in it stays.
   *
   * @param forget hears the digests of images that are removed
   */
  LayerStore(Path directory, Consumer<String> forget) {
    this.directory = directory;
    this.forget = forget;
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path image(String digest) {
    return directory.resolve(digest.replace(':', '-') + SUFFIX);
  }

  boolean has(String digest) {
    return Files.exists(image(digest));
  }

  /** The canonical list of what is in a layer, for those that have one. */
  Path list(String digest) {
    return directory.resolve(digest.replace(':', '-') + ".list");
  }

  /** Brings an image to the disk, which may take long; then it can be taken in. */
  static void flush(Path image) throws IOException {
    try (FileChannel channel = FileChannel.open(image, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Takes a flushed image of the same file system in: its digest is its name from here on. */
  void adopt(Path image, String digest) throws IOException {
    Files.move(image, image(digest), StandardCopyOption.ATOMIC_MOVE);
    adopted.put(digest, identity(image(digest)));
  }

  /** As which file an image of this run was taken in whose digest is right; empty when that is not known. */
  Map<String, Object> adopted(String digest) {
    return adopted.getOrDefault(digest, Map.of());
  }

  /** Which file an image is, and when it was written to last; links of backends change nothing of that. */
  static Map<String, Object> identity(Path image) {
    try {
      return Files.readAttributes(image, "unix:ino,size,lastModifiedTime");
    } catch (java.nio.file.NoSuchFileException e) {
      return Map.of("gone", image);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete(String digest) {
    remove(digest);
    forget.accept(digest);
  }

  private void remove(String digest) {
    adopted.remove(digest);
    try {
      Files.deleteIfExists(image(digest));
      Files.deleteIfExists(list(digest));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes what a run that was killed took in and did not get to name. */
  void sweep(Predicate<String> known) {
    try (DirectoryStream<Path> images = Files.newDirectoryStream(directory, "sha256-*.erofs")) {
      for (Path image : images) {
        String name = String.valueOf(image.getFileName());
        String digest = name.substring(0, name.length() - SUFFIX.length()).replace('-', ':');
        if (!known.test(digest)) {
          LOG.warn("{} belongs to no name and is removed", digest);
          remove(digest);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String digest(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        DigestInputStream digesting =
            new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
      byte[] buffer = new byte[BUFFER];
      while (digesting.read(buffer) >= 0) {
        // The digest is all that is wanted.
      }
      return "sha256:" + HexFormat.of().formatHex(digesting.getMessageDigest().digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
