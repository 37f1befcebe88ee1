// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.google.protobuf.ByteString;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.BitSet;

/**
 * What is put into the shared storage, read once from a local image: it digests what passes, the whole and each piece, and
 * tells the clock at each.
 */
final class Source extends InputStream {

  /** Brings the next piece. */
  @FunctionalInterface
  private interface Pieces {
    /** Fills the buffer, which is then flipped and is empty at the end. */
    void next(FileChannel from, ByteBuffer to) throws IOException;
  }

  private final FileChannel file;
  private final Pieces pieces;
  private final Access.Clock clock;
  private final ByteBuffer piece;
  private final MessageDigest all = SealedFile.sha256();
  private final ByteString.Output digests = ByteString.newOutput();
  private long count;
  private String digest = "";
  private boolean ended;

  private Source(Path image, int pieceBytes, Pieces pieces, Access.Clock clock) throws IOException {
    this.file = FileChannel.open(image, StandardOpenOption.READ);
    this.pieces = pieces;
    this.clock = clock;
    this.piece = ByteBuffer.allocate(pieceBytes).limit(0);
  }

  /** All of an image, in chunks of which each has its digest. */
  static Source whole(Path image, int chunkBytes, Access.Clock clock) throws IOException {
    return new Source(image, chunkBytes, Source::chunk, clock);
  }

  /** Some blocks of an image, the last of it filled up with zeros. */
  static Source blocks(Path image, BitSet blocks, Access.Clock clock) throws IOException {
    int[] next = {0};
    return new Source(
        image,
        ErofsMetadata.BLOCK,
        (from, to) -> {
          int block = blocks.nextSetBit(next[0]);
          next[0] = block < 0 ? next[0] : block + 1;
          block(from, block, to.clear());
        },
        clock);
  }

  private static void chunk(FileChannel from, ByteBuffer to) throws IOException {
    to.clear();
    while (to.hasRemaining() && from.read(to) >= 0) {
      // A chunk is whole or the last.
    }
    to.flip();
  }

  private static void block(FileChannel from, int block, ByteBuffer to) throws IOException {
    if (block < 0) {
      to.limit(0);
      return;
    }
    while (to.hasRemaining()) {
      to.putLong(0);
    }
    to.clear();
    long at = (long) block * ErofsMetadata.BLOCK;
    while (to.hasRemaining() && from.read(to, at + to.position()) >= 0) {
      // To the block's or the image's end.
    }
    to.rewind();
  }

  private boolean more() throws IOException {
    if (piece.hasRemaining()) {
      return true;
    }
    if (ended) {
      return false;
    }
    pieces.next(file, piece);
    clock.move();
    if (!piece.hasRemaining()) {
      // Whoever read all of it may have closed it.
      ended = true;
      return false;
    }
    all.update(piece.duplicate());
    MessageDigest one = SealedFile.sha256();
    one.update(piece.duplicate());
    digests.write(one.digest());
    count += piece.remaining();
    return true;
  }

  @Override
  public int read() throws IOException {
    return more() ? Byte.toUnsignedInt(piece.get()) : -1;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!more()) {
      return -1;
    }
    int taken = Math.min(length, piece.remaining());
    piece.get(to, offset, taken);
    return taken;
  }

  /** How much it is. Reads what nobody read, as the digests do. */
  long bytes() throws IOException {
    digest();
    return count;
  }

  /** The SHA-256 of each piece, one after the other. */
  ByteString digests() throws IOException {
    digest();
    return digests.toByteString();
  }

  /** "sha256:…" of all of it. */
  String digest() throws IOException {
    if (digest.isEmpty()) {
      transferTo(OutputStream.nullOutputStream());
      digest = SealedFile.named(all);
    }
    return digest;
  }

  /** It must be the layer. */
  void require(String digest) throws IOException {
    String found = digest();
    if (!found.equals(digest)) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "reference",
          "reference: the image of %s on this node has the digest %s and is not shared"
              .formatted(digest, found),
          null);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
