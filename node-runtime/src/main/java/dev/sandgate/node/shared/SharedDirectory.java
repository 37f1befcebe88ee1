// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.node.checks.EnvironmentName;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Shared layers in a directory of any POSIX file system. Every file is made aside, flushed and put in place by one rename or
 * link: a reader sees all of it or none, and who comes second finds it there.
 *
 * @param root the directory; it must be there
 */
record SharedDirectory(Path root) implements SharedStorage {

  private static final Duration ABANDONED = Duration.ofDays(1);

  @Override
  public String place() {
    return root.toString();
  }

  private Path erofs(String digest) {
    return layer(digest, ".erofs");
  }

  private Path metadata(String digest) {
    return layer(digest, ".metadata");
  }

  /** There when all of a layer is. */
  private Path facts(String digest) {
    return layer(digest, ".layer");
  }

  private Path layer(String digest, String suffix) {
    return layers().resolve(digest.replace(':', '-') + suffix);
  }

  private Path layers() {
    return root.resolve("layers");
  }

  private Path names() {
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

  @Override
  public Optional<SharedLayer> find(String digest) throws IOException {
    require();
    try {
      return Optional.of(SharedLayer.parseFrom(SealedFile.read(facts(digest))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (InvalidProtocolBufferException e) {
      throw new SealedFile.Damaged(facts(digest) + " is damaged");
    }
  }

  @Override
  public Optional<Environment> environment(String key) throws IOException {
    require();
    return read(names().resolve(key));
  }

  @Override
  public List<String> names(Access.Clock clock) throws IOException {
    require();
    List<String> found = new ArrayList<>();
    if (Files.isDirectory(names())) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(names())) {
        for (Path file : files) {
          if (isName(file)) {
            found.add(String.valueOf(file.getFileName()));
          }
          clock.move();
        }
      }
    }
    return found;
  }

  /** What others put there is none: file systems keep snapshots and removed files beside. */
  private static boolean isName(Path file) {
    return EnvironmentName.isKey(String.valueOf(file.getFileName())) && !Files.isDirectory(file);
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
  private Path fresh() throws IOException {
    require();
    Files.createDirectories(layers());
    Files.createDirectories(names());
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

  @Override
  public Optional<Image> image(String digest) throws IOException {
    require();
    try {
      var facts = Files.readAttributes(erofs(digest), "unix:ino,size,lastModifiedTime,ctime");
      return Optional.of(new Image(Files.size(erofs(digest)), facts.toString()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public InputStream metadata(SharedLayer layer) throws IOException {
    return Files.newInputStream(metadata(layer.getLayer().getDigest()));
  }

  @Override
  public byte[] read(String digest, long from, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try (FileChannel in = FileChannel.open(erofs(digest), StandardOpenOption.READ)) {
      while (bytes.hasRemaining()) {
        if (in.read(bytes, from + bytes.position()) < 0) {
          throw new IOException(erofs(digest) + " ends before it should");
        }
      }
    }
    return bytes.array();
  }

  @Override
  public Optional<Path> file(String digest) {
    return Optional.of(erofs(digest));
  }

  @Override
  public boolean isWhole(LayerInfo layer) throws IOException {
    boolean whole =
        isReadable(layer.getDigest())
            && image(layer.getDigest()).filter(is -> is.size() == layer.getSizeBytes()).isPresent()
            && Files.exists(metadata(layer.getDigest()));
    if (whole) {
      Files.setLastModifiedTime(facts(layer.getDigest()), FileTime.from(Instant.now()));
    }
    return whole;
  }

  /** What is damaged is made again. */
  private boolean isReadable(String digest) throws IOException {
    try {
      return find(digest).isPresent();
    } catch (SealedFile.Damaged e) {
      return false;
    }
  }

  @Override
  public void putImage(LayerInfo layer, Source image) throws IOException {
    place(
        fresh -> {
          write(fresh, image);
          image.require(layer.getDigest());
        },
        erofs(layer.getDigest()));
  }

  @Override
  public void putMetadata(LayerInfo layer, Source blocks) throws IOException {
    place(fresh -> write(fresh, blocks), metadata(layer.getDigest()));
  }

  @Override
  public void putFacts(SharedLayer layer) throws IOException {
    place(
        fresh -> SealedFile.write(fresh, layer.toByteArray()), facts(layer.getLayer().getDigest()));
  }

  private static void write(Path fresh, Source content) throws IOException {
    byte[] room = new byte[Sharing.CHUNK];
    try (FileChannel out =
        FileChannel.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int count = content.read(room); count >= 0; count = content.read(room)) {
        SealedFile.writeAll(out, ByteBuffer.wrap(room, 0, count));
      }
      out.force(true);
    }
  }

  /** Makes a flushed file. */
  @FunctionalInterface
  private interface Making {
    void make(Path fresh) throws IOException;
  }

  private void place(Making making, Path target) throws IOException {
    Path fresh = fresh();
    try {
      making.make(fresh);
      Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
      SealedFile.sync(layers());
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  @Override
  public boolean name(Environment environment, boolean replace) throws IOException {
    Path fresh = fresh();
    Path target = names().resolve(environment.getName() + ":" + environment.getTag());
    try {
      SealedFile.write(fresh, environment.toByteArray());
      if (replace) {
        Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
      } else {
        Files.createLink(target, fresh);
      }
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      Files.deleteIfExists(fresh);
    }
    SealedFile.sync(names());
    return true;
  }

  @Override
  public boolean unname(String key) throws IOException {
    require();
    boolean there = Files.deleteIfExists(names().resolve(key));
    if (there) {
      SealedFile.sync(names());
    }
    return there;
  }

  @Override
  public List<Stored> layers(Access.Clock clock) throws IOException {
    require();
    Map<String, Stored> found = new TreeMap<>();
    if (Files.isDirectory(layers())) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(layers(), "sha256-*.*")) {
        for (Path file : files) {
          String name = String.valueOf(file.getFileName());
          String digest = name.substring(0, name.indexOf('.')).replace('-', ':');
          found.put(digest, stored(digest));
          clock.move();
        }
      }
    }
    return List.copyOf(found.values());
  }

  /** Of what is there of a layer, the youngest counts. */
  private Stored stored(String digest) throws IOException {
    FileTime youngest = FileTime.fromMillis(0);
    for (Path file : List.of(facts(digest), metadata(digest), erofs(digest))) {
      FileTime time = modified(file, youngest);
      youngest = time.compareTo(youngest) > 0 ? time : youngest;
    }
    long size = image(digest).map(Image::size).orElse(0L);
    return new Stored(digest, size, youngest.toInstant());
  }

  @Override
  public boolean remove(String digest, Instant notAfter) throws IOException {
    if (stored(digest).shared().isAfter(notAfter)) {
      return false;
    }
    for (Path file : List.of(facts(digest), metadata(digest), erofs(digest))) {
      Files.deleteIfExists(file);
    }
    SealedFile.sync(layers());
    return true;
  }

  @Override
  public void close() {
    // There is nothing to let go of.
  }
}
