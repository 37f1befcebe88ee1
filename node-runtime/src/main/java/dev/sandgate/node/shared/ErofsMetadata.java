// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Which blocks of an uncompressed EROFS image are needed to look around in it without opening a file: inodes with what stands
 * behind them, directories, links, shared attributes. Images are this project's own: another layout is left out, and
 * comes when it is asked for.
 */
final class ErofsMetadata implements AutoCloseable {

  static final int BLOCK = 4096;

  private static final long SUPERBLOCK = 1024;
  private static final int MAGIC = 0xe0f5e1e2;
  private static final int SLOT = 32;
  private static final int ENTRY = 12;
  private static final int DIRECTORY = 0x4000;
  private static final int LINK = 0xa000;
  private static final int TYPE = 0xf000;

  private final FileChannel image;
  private final long blocks;
  private final BitSet needed = new BitSet();
  private final Set<Long> seen = new HashSet<>();
  private final Deque<Long> waiting = new ArrayDeque<>();
  private long inodes;
  private long attributes;

  private ErofsMetadata(FileChannel image) throws IOException {
    this.image = image;
    this.blocks = (image.size() + BLOCK - 1) / BLOCK;
  }

  /** The numbers of these blocks; always the first one. */
  static BitSet of(Path image) throws IOException {
    try (ErofsMetadata walk = new ErofsMetadata(FileChannel.open(image, StandardOpenOption.READ))) {
      walk.run();
      return walk.needed;
    }
  }

  private void run() throws IOException {
    ByteBuffer head = bytes(SUPERBLOCK, 128);
    need(0, BLOCK);
    if (head.getInt(0) != MAGIC || head.get(12) != 12) {
      return;
    }
    inodes = Integer.toUnsignedLong(head.getInt(40)) * BLOCK;
    attributes = Integer.toUnsignedLong(head.getInt(44)) * BLOCK;
    waiting.push((long) Short.toUnsignedInt(head.getShort(14)));
    while (!waiting.isEmpty()) {
      look(waiting.pop());
    }
  }

  /** An inode as it lies in the image. */
  private record Inode(long at, int layout, int mode, long size, long start, int head) {
    boolean holds(int type) {
      return (mode & TYPE) == type;
    }

    /** Where its last, incomplete block lies, if that stands behind it. */
    long tail() {
      return at + head;
    }

    long whole() {
      return layout == 2 ? size / BLOCK * BLOCK : size;
    }
  }

  private Inode inode(long number) throws IOException {
    long at = inodes + number * SLOT;
    ByteBuffer raw = bytes(at, 2 * SLOT);
    int format = Short.toUnsignedInt(raw.getShort(0));
    boolean extended = (format & 1) == 1;
    int icount = Short.toUnsignedInt(raw.getShort(2));
    int behind = icount == 0 ? 0 : 12 + 4 * (icount - 1);
    long size = extended ? raw.getLong(8) : Integer.toUnsignedLong(raw.getInt(8));
    long start = Integer.toUnsignedLong(raw.getInt(16)) * BLOCK;
    int own = extended ? 2 * SLOT : SLOT;
    if (behind > 0) {
      shared(at + own);
    }
    int mode = Short.toUnsignedInt(raw.getShort(4));
    return new Inode(at, format >> 1 & 7, mode, size, start, own + behind);
  }

  /** The shared attributes that an inode names. */
  private void shared(long at) throws IOException {
    ByteBuffer head = bytes(at, 12);
    int count = Byte.toUnsignedInt(head.get(4));
    ByteBuffer ids = bytes(at + 12, 4 * count);
    for (int i = 0; i < count; i++) {
      long value = attributes + 4 * Integer.toUnsignedLong(ids.getInt(4 * i));
      need(value, BLOCK);
    }
  }

  private void look(long number) throws IOException {
    if (!seen.add(number)) {
      return;
    }
    Inode inode = inode(number);
    need(inode.at(), inode.head());
    boolean flat = inode.layout() == 0 || inode.layout() == 2;
    if (flat && inode.layout() == 2) {
      need(inode.tail(), inode.size() - inode.whole());
    }
    if (flat && (inode.holds(DIRECTORY) || inode.holds(LINK))) {
      need(inode.start(), inode.whole());
    }
    if (flat && inode.holds(DIRECTORY)) {
      entries(inode);
    }
  }

  private void entries(Inode directory) throws IOException {
    for (long from = 0; from < directory.size(); from += BLOCK) {
      int length = (int) Math.min(BLOCK, directory.size() - from);
      boolean behind = from >= directory.whole();
      ByteBuffer block = bytes(behind ? directory.tail() : directory.start() + from, length);
      int count = length < ENTRY ? 0 : Short.toUnsignedInt(block.getShort(8)) / ENTRY;
      for (int i = 0; i < count && (i + 1) * ENTRY <= length; i++) {
        waiting.push(block.getLong(i * ENTRY));
      }
    }
  }

  private void need(long from, long length) {
    long end = Math.min(blocks * BLOCK, from + length);
    if (length > 0 && from >= 0 && from < end) {
      needed.set((int) (from / BLOCK), (int) ((end + BLOCK - 1) / BLOCK));
    }
  }

  private ByteBuffer bytes(long from, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining() && image.read(buffer, from + buffer.position()) > 0) {
      // What lies beyond the end stays zero.
    }
    return buffer;
  }

  @Override
  public void close() throws IOException {
    image.close();
  }
}
