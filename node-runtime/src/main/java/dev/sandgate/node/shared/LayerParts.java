// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.proto.v1.SharedReads;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * An image that is here in part, in the form of {@code native/PARTS.md}; the process that serves it to sandboxes fills it in too.
 * Any thread.
 */
final class LayerParts {

  private static final String NEW = ".new";
  private static final int BLOCK = ErofsMetadata.BLOCK;
  private static final int COUNTERS = 4096;
  private static final int BULK = 512;
  private static final int BEGIN = 8192;
  private static final int DIGEST = 32;
  private static final int SIZES = 6;
  private static final int PATH_MOST = 4055;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path image;
  private final Path map;
  private final MemorySegment bytes;
  private final long size;
  private final int chunkBytes;
  private final long blocks;

  private LayerParts(Path image, Path map, SharedLayer facts) throws IOException {
    this.image = image;
    this.map = map;
    this.size = facts.getLayer().getSizeBytes();
    this.chunkBytes = facts.getChunkBytes();
    this.blocks = BEGIN + (long) facts.getChunkDigests().size();
    try (FileChannel channel =
        FileChannel.open(map, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      this.bytes =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, blocks + blockCount(), Arena.ofAuto());
    }
  }

  /** Where an image's files are. */
  record Place(Path image, Path map) {
    static Place in(Path directory, String digest) {
      String name = digest.replace(':', '-');
      return new Place(directory.resolve(name + ".image"), directory.resolve(name + ".map"));
    }

    boolean isTaken() {
      return Files.exists(map) && Files.exists(image);
    }

    void clear() throws IOException {
      Files.deleteIfExists(map);
      Files.deleteIfExists(image);
    }

    /** Where one attempt makes them: who was given up may come back and must meet nobody's files but its own. */
    Place attempt() {
      String suffix = "." + UUID.randomUUID() + NEW;
      return new Place(
          image.resolveSibling(image.getFileName() + suffix),
          map.resolveSibling(map.getFileName() + suffix));
    }

    /** Removes what attempts that were given up have left. */
    void clearAttempts() throws IOException {
      String name = map.getFileName().toString();
      String glob = name.substring(0, name.lastIndexOf('.')) + ".*" + NEW;
      try (DirectoryStream<Path> left = Files.newDirectoryStream(map.getParent(), glob)) {
        for (Path file : left) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** Opens what is there. */
  static LayerParts open(Place place, SharedLayer facts) throws IOException {
    return new LayerParts(place.image(), place.map(), facts);
  }

  /**
   * Makes the files of one of which its metadata is here; whole or not at all.
   *
   * @param fresh where nobody else makes one
   * @param remote where the serving process has the rest from
   * @param metadata the blocks of {@link SharedLayer#getMetadataRunsList}
   * @param patience of one read
   */
  static void make(
      Place fresh, SharedLayer facts, String remote, InputStream metadata, Duration patience)
      throws IOException {
    try (FileChannel out =
        FileChannel.open(fresh.image(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      Files.write(fresh.map(), head(facts, remote, patience), StandardOpenOption.CREATE_NEW);
      extend(out, facts.getLayer().getSizeBytes());
      open(fresh, facts).fill(out, facts, metadata);
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("nobody waits for it any more");
      }
    } catch (IOException | RuntimeException e) {
      fresh.clear();
      throw e;
    }
  }

  /** Puts what was made in its place, the map last: without one there is nothing. */
  static LayerParts take(Place fresh, Place place, SharedLayer facts) throws IOException {
    place.clear();
    Files.move(fresh.image(), place.image(), StandardCopyOption.ATOMIC_MOVE);
    Files.move(fresh.map(), place.map(), StandardCopyOption.ATOMIC_MOVE);
    return open(place, facts);
  }

  private static void extend(FileChannel out, long size) throws IOException {
    out.write(ByteBuffer.allocate(1), size - 1);
  }

  private static byte[] head(SharedLayer facts, String remote, Duration patience)
      throws IOException {
    byte[] path = remote.getBytes(StandardCharsets.UTF_8);
    if (path.length > PATH_MOST) {
      throw new IOException(remote + " is too long a path");
    }
    long size = facts.getLayer().getSizeBytes();
    int digests = facts.getChunkDigests().size();
    ByteBuffer head =
        ByteBuffer.allocate((int) (BEGIN + digests + (size + BLOCK - 1) / BLOCK))
            .order(ByteOrder.LITTLE_ENDIAN);
    head.put("SGPARTS1".getBytes(StandardCharsets.US_ASCII)).putLong(size);
    head.putInt(facts.getChunkBytes()).putInt((int) patience.toMillis());
    head.putLong(BEGIN).putLong(BEGIN + (long) digests).put(path);
    head.position(BEGIN).put(facts.getChunkDigests().asReadOnlyByteBuffer());
    return head.array();
  }

  /** Puts the metadata in its place. */
  private void fill(FileChannel out, SharedLayer facts, InputStream metadata) throws IOException {
    MessageDigest all = SealedFile.sha256();
    List<Long> runs = facts.getMetadataRunsList();
    for (int i = 0; i + 1 < runs.size(); i += 2) {
      for (long block = runs.get(i); block < runs.get(i) + runs.get(i + 1); block++) {
        byte[] one = Arrays.copyOf(metadata.readNBytes(BLOCK), BLOCK);
        all.update(one);
        place(out, block, ByteBuffer.wrap(one));
      }
    }
    if (!SealedFile.named(all).equals(facts.getMetadataDigest())) {
      throw new SealedFile.Damaged("its metadata is damaged");
    }
  }

  private void place(FileChannel out, long block, ByteBuffer content) throws IOException {
    long at = block * BLOCK;
    if (at < 0 || at >= size) {
      throw new SealedFile.Damaged("a block of the metadata lies outside the image");
    }
    content.limit((int) Math.min(content.limit(), size - at));
    while (content.hasRemaining()) {
      out.write(content, at + content.position());
    }
    bytes.set(ValueLayout.JAVA_BYTE, blocks + block, (byte) 1);
  }

  Path image() {
    return image;
  }

  Path map() {
    return map;
  }

  private long blockCount() {
    return (size + BLOCK - 1) / BLOCK;
  }

  /** How much of it is here, bytes. */
  long here() {
    long count = 0;
    for (long block = 0; block < blockCount(); block++) {
      count += bytes.get(ValueLayout.JAVA_BYTE, blocks + block);
    }
    return Math.min(size, count * BLOCK);
  }

  /** How much of it is not here, bytes. */
  long missing() {
    return size - here();
  }

  int chunks() {
    return (int) ((size + chunkBytes - 1) / chunkBytes);
  }

  long start(int chunk) {
    return (long) chunk * chunkBytes;
  }

  int length(int chunk) {
    return (int) Math.min(chunkBytes, size - start(chunk));
  }

  /** Whether all of a chunk is here. */
  boolean has(int chunk) {
    long first = start(chunk) / BLOCK;
    long end = (start(chunk) + length(chunk) + BLOCK - 1) / BLOCK;
    for (long block = first; block < end; block++) {
      if (bytes.get(ValueLayout.JAVA_BYTE, blocks + block) != 1) {
        return false;
      }
    }
    return true;
  }

  /** Takes a chunk that was read in bulk; an IOException when it is not what was shared. */
  void put(FileChannel out, int chunk, byte[] content) throws IOException {
    byte[] sealed =
        bytes.asSlice(BEGIN + (long) chunk * DIGEST, DIGEST).toArray(ValueLayout.JAVA_BYTE);
    count(COUNTERS + BULK, 1);
    count(COUNTERS + BULK + 8L, content.length);
    count(COUNTERS + BULK + 32L + 8L * slot(content.length), 1);
    if (!MessageDigest.isEqual(SealedFile.sha256().digest(content), sealed)) {
      count(COUNTERS + BULK + 24L, 1);
      throw new SealedFile.Damaged("its bytes from %d on are damaged".formatted(start(chunk)));
    }
    for (int from = 0; from < content.length; from += BLOCK) {
      int length = Math.min(BLOCK, content.length - from);
      place(out, (start(chunk) + from) / BLOCK, ByteBuffer.wrap(content, from, length).slice());
    }
  }

  /** A bulk read that failed. */
  void failed() {
    count(COUNTERS + BULK + 16L, 1);
  }

  private void count(long at, long added) {
    bytes.set(LONG, at, bytes.get(LONG, at) + added);
  }

  private static int slot(int length) {
    int slot = 0;
    for (long most = BLOCK; length > most && slot < SIZES - 1; most *= 4) {
      slot++;
    }
    return slot;
  }

  /** What was read of it because somebody waited for it. */
  SharedReads onDemand() {
    return reads(COUNTERS);
  }

  /** What was read of it in bulk. */
  SharedReads inBulk() {
    return reads(COUNTERS + BULK);
  }

  private SharedReads reads(long at) {
    SharedReads.Builder reads =
        SharedReads.newBuilder()
            .setRequests(bytes.get(LONG, at))
            .setBytes(bytes.get(LONG, at + 8))
            .setFailures(bytes.get(LONG, at + 16))
            .setDamaged(bytes.get(LONG, at + 24));
    for (int i = 0; i < SIZES; i++) {
      reads.addSizes(bytes.get(LONG, at + 32 + 8L * i));
    }
    return reads.build();
  }
}
