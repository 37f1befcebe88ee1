// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.BitSet;
import java.util.Optional;

/**
 * Puts one layer into the shared directory: the image, the blocks that say what is in it, and last what it is.
 *
 * @param directory where to
 * @param clock told at each step
 */
record Sharing(SharedDirectory directory, Access.Clock clock) {

  /** How much is read at once and has one digest. */
  static final int CHUNK = 256 << 10;

  /** Does it unless it is there; returns the bytes written. */
  long put(LayerInfo layer, Path image, Optional<Manifest> manifest) throws IOException {
    String digest = layer.getDigest();
    Path fresh = directory.fresh();
    if (isThere(layer)) {
      return 0;
    }
    try {
      ByteString chunks = copy(digest, image, fresh);
      directory.place(fresh, directory.image(digest));
      BitSet needed = ErofsMetadata.of(image);
      clock.move();
      String metadata = copy(image, needed, fresh);
      directory.place(fresh, directory.metadata(digest));
      SharedLayer facts = facts(layer, chunks, needed, metadata, manifest);
      SealedFile.write(fresh, facts.toByteArray());
      directory.place(fresh, directory.facts(digest));
      return Files.size(image) + (long) needed.cardinality() * ErofsMetadata.BLOCK;
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  private boolean isThere(LayerInfo layer) throws IOException {
    Path image = directory.image(layer.getDigest());
    return readable(layer.getDigest())
        && Files.exists(image)
        && Files.size(image) == layer.getSizeBytes()
        && Files.exists(directory.metadata(layer.getDigest()));
  }

  /** What is damaged is made again. */
  private boolean readable(String digest) throws IOException {
    try {
      return directory.find(digest).isPresent();
    } catch (SealedFile.Damaged e) {
      return false;
    }
  }

  private static SharedLayer facts(
      LayerInfo layer,
      ByteString chunks,
      BitSet needed,
      String metadata,
      Optional<Manifest> manifest) {
    SharedLayer.Builder facts =
        SharedLayer.newBuilder()
            .setLayer(layer)
            .setChunkBytes(CHUNK)
            .setChunkDigests(chunks)
            .setMetadataDigest(metadata);
    for (int from = needed.nextSetBit(0); from >= 0; ) {
      int end = needed.nextClearBit(from);
      facts.addMetadataRuns(from).addMetadataRuns(end - from);
      from = needed.nextSetBit(end);
    }
    manifest.ifPresent(
        known ->
            facts
                .setManifestDigest(known.digest())
                .setManifestEntries(known.entries())
                .setManifestBytes(known.bytes()));
    return facts.build();
  }

  /** Copies an image and tells its chunks' digests; what was read must be the layer. */
  private ByteString copy(String digest, Path from, Path to) throws IOException {
    MessageDigest all = SealedFile.sha256();
    ByteString.Output chunks = ByteString.newOutput();
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out = create(to)) {
      ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
      while (fill(in, chunk)) {
        all.update(chunk.duplicate());
        MessageDigest one = SealedFile.sha256();
        one.update(chunk.duplicate());
        chunks.write(one.digest());
        SealedFile.writeAll(out, chunk);
        clock.move();
      }
      out.force(true);
    }
    String found = SealedFile.named(all);
    if (!found.equals(digest)) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "reference",
          "reference: the image of %s on this node has the digest %s and is not shared"
              .formatted(digest, found),
          null);
    }
    return chunks.toByteString();
  }

  private static boolean fill(FileChannel in, ByteBuffer chunk) throws IOException {
    chunk.clear();
    while (chunk.hasRemaining() && in.read(chunk) >= 0) {
      // A chunk is whole or the last.
    }
    chunk.flip();
    return chunk.hasRemaining();
  }

  /** Copies some blocks, the last of an image filled up with zeros; returns their digest. */
  private String copy(Path from, BitSet blocks, Path to) throws IOException {
    MessageDigest all = SealedFile.sha256();
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out = create(to)) {
      for (int block = blocks.nextSetBit(0); block >= 0; block = blocks.nextSetBit(block + 1)) {
        ByteBuffer bytes = ByteBuffer.allocate(ErofsMetadata.BLOCK);
        long at = (long) block * ErofsMetadata.BLOCK;
        while (bytes.hasRemaining() && in.read(bytes, at + bytes.position()) >= 0) {
          // To the block's or the image's end.
        }
        bytes.rewind();
        all.update(bytes.duplicate());
        SealedFile.writeAll(out, bytes);
        clock.move();
      }
      out.force(true);
    }
    return SealedFile.named(all);
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }
}
