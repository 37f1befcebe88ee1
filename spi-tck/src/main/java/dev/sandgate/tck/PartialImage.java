// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.Layer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/**
 * An image of which nothing is here yet, in the form of {@code native/PARTS.md}: a file of holes, and a map that says where the
 * rest comes from.
 *
 * @param directory where both are
 * @param layer as a backend is given it
 */
record PartialImage(Path directory, Layer layer) implements AutoCloseable {

  private static final int CHUNK = 256 << 10;
  private static final int BLOCK = 4096;
  private static final int DIGESTS_AT = 8192;
  private static final int DIGEST = 32;
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int PATH_AT = 40;
  private static final int COUNTERS_AT = 4096;

  /** Says of a whole image that it is elsewhere; the directory must be on the file system of the backend's state. */
  static PartialImage of(Layer whole, Path directory) {
    try {
      byte[] content = Files.readAllBytes(whole.image());
      Path image = directory.resolve("image");
      try (RandomAccessFile holes = new RandomAccessFile(image.toFile(), "rw")) {
        holes.setLength(content.length);
      }
      Path map = Files.write(directory.resolve("map"), map(content, whole.image()));
      return new PartialImage(directory, new Layer(whole.digest(), image, Optional.of(map)));
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] map(byte[] content, Path elsewhere)
      throws IOException, NoSuchAlgorithmException {
    int chunks = (content.length + CHUNK - 1) / CHUNK;
    int blocksAt = DIGESTS_AT + chunks * DIGEST;
    int blocks = (content.length + BLOCK - 1) / BLOCK;
    ByteBuffer map = ByteBuffer.allocate(blocksAt + blocks).order(ByteOrder.LITTLE_ENDIAN);
    map.put("SGPARTS1".getBytes(StandardCharsets.US_ASCII)).putLong(content.length);
    map.putInt(CHUNK).putInt(PATIENCE_MILLIS).putLong(DIGESTS_AT).putLong(blocksAt);
    map.position(PATH_AT);
    map.put(elsewhere.toRealPath().toString().getBytes(StandardCharsets.UTF_8));
    for (int chunk = 0; chunk < chunks; chunk++) {
      MessageDigest sum = MessageDigest.getInstance("SHA-256");
      sum.update(content, chunk * CHUNK, Math.min(CHUNK, content.length - chunk * CHUNK));
      map.position(DIGESTS_AT + chunk * DIGEST);
      map.put(sum.digest());
    }
    return map.array();
  }

  /** How many bytes were brought because somebody read them. */
  long brought() {
    ByteBuffer counters = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel map = FileChannel.open(layer.map().orElseThrow())) {
      map.read(counters, COUNTERS_AT);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return counters.getLong(Long.BYTES);
  }

  /** What is not the backend's of it. */
  @Override
  public void close() {
    try {
      Files.delete(layer.image());
      Files.delete(layer.map().orElseThrow());
      Files.delete(directory);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
