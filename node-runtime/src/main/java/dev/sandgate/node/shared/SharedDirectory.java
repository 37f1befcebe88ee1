// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.SharedLayer;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What lies where in a directory that nodes share. Every file is made aside, flushed and put in place by one rename or link: a
 * reader sees all of it or none, and who comes second finds it there. Blocks, perhaps for ever: see {@link Access}.
 *
 * @param root the directory; it must be there
 */
record SharedDirectory(Path root) {

  private static final Duration ABANDONED = Duration.ofDays(1);

  Path image(String digest) {
    return layer(digest, ".erofs");
  }

  /** The blocks of an image that say what is in it, one after the other. */
  Path metadata(String digest) {
    return layer(digest, ".metadata");
  }

  /** What a layer is; there when all of it is. */
  Path facts(String digest) {
    return layer(digest, ".layer");
  }

  private Path layer(String digest, String suffix) {
    return layers().resolve(digest.replace(':', '-') + suffix);
  }

  private Path layers() {
    return root.resolve("layers");
  }

  private Path environments() {
    return root.resolve("environments");
  }

  private Path incoming() {
    return root.resolve("incoming");
  }

  /** Fails when the directory itself is not there: an empty answer would be a wrong one. */
  private void require() throws IOException {
    if (!Files.isDirectory(root)) {
      throw new NoSuchFileException(root.toString());
    }
  }

  Optional<SharedLayer> find(String digest) throws IOException {
    require();
    try {
      return Optional.of(SharedLayer.parseFrom(SealedFile.read(facts(digest))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (InvalidProtocolBufferException e) {
      throw new SealedFile.Damaged(facts(digest) + " is damaged");
    }
  }

  Optional<Environment> environment(String key) throws IOException {
    require();
    return read(environments().resolve(key));
  }

  /** All that can be read. */
  List<Environment> all() throws IOException {
    require();
    List<Environment> found = new ArrayList<>();
    if (Files.isDirectory(environments())) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(environments())) {
        for (Path file : files) {
          read(file).ifPresent(found::add);
        }
      }
    }
    return found;
  }

  private static Optional<Environment> read(Path file) throws IOException {
    try {
      return Optional.of(Environment.parseFrom(SealedFile.read(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (InvalidProtocolBufferException e) {
      throw new SealedFile.Damaged(file + " is damaged");
    }
  }

  /** A place for a new file; makes what directories lack and takes away what pushers that died left. */
  Path fresh() throws IOException {
    require();
    Files.createDirectories(layers());
    Files.createDirectories(environments());
    Files.createDirectories(incoming());
    FileTime old = FileTime.from(Instant.now().minus(ABANDONED));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(incoming())) {
      for (Path file : files) {
        if (modified(file, old).compareTo(old) < 0) {
          Files.deleteIfExists(file);
        }
      }
    }
    return incoming().resolve(UUID.randomUUID().toString());
  }

  private static FileTime modified(Path file, FileTime otherwise) throws IOException {
    try {
      return Files.getLastModifiedTime(file);
    } catch (NoSuchFileException e) {
      return otherwise;
    }
  }

  /** Puts a flushed file in the place of a layer's. */
  void place(Path fresh, Path target) throws IOException {
    Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
    SealedFile.sync(layers());
  }

  /** Puts a name in place; false when it is taken and may not be moved. */
  boolean name(Path fresh, String key, boolean replace) throws IOException {
    Path target = environments().resolve(key);
    try {
      if (replace) {
        Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
      } else {
        Files.createLink(target, fresh);
        Files.delete(fresh);
      }
    } catch (FileAlreadyExistsException e) {
      Files.delete(fresh);
      return false;
    }
    SealedFile.sync(environments());
    return true;
  }

  /** Takes a name away; false when there is none. */
  boolean unname(String key) throws IOException {
    require();
    boolean there = Files.deleteIfExists(environments().resolve(key));
    if (there) {
      SealedFile.sync(environments());
    }
    return there;
  }
}
