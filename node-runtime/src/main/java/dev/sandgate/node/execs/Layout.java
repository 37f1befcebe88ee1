// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import java.nio.ByteBuffer;

/**
 * Which bytes of a stream a spool file has, and where: after a header the head {@code [0, headEnd)} in one piece, then a
 * ring with the last bytes from {@code tailBase} on.
 *
 * <p>The header says the ring's end before and after a write, so that a process that is killed in between leaves no bytes
 * that pass for others.
 *
 * @param headEnd offset after the head; {@link #OPEN} while it grows, as long as the file does
 * @param tailBase offset at which the ring begins, at or after the head's end
 * @param ringBytes size of the ring
 * @param end offset after the last byte in the ring
 * @param written offset up to which the ring may have been overwritten
 */
record Layout(long headEnd, long tailBase, long ringBytes, long end, long written) {

  static final int HEADER = 64;
  static final long OPEN = -1;
  private static final long MAGIC = 0x5347_5350_4f4f_4c31L;

  static Layout open() {
    return new Layout(OPEN, 0, 0, 0, 0);
  }

  boolean isOpen() {
    return headEnd == OPEN;
  }

  /** The oldest byte that the ring surely has. */
  long tailStart() {
    return Math.max(tailBase, written - ringBytes);
  }

  Layout writing(long to) {
    return new Layout(headEnd, tailBase, ringBytes, end, to);
  }

  Layout wrote(long to) {
    return new Layout(headEnd, tailBase, ringBytes, to, to);
  }

  /** Where in the file a byte of the ring is. */
  long ringPosition(long offset) {
    return HEADER + headEnd + (offset - tailBase) % ringBytes;
  }

  /** How many bytes from an offset on lie together. */
  long together(long offset) {
    return ringBytes - (offset - tailBase) % ringBytes;
  }

  ByteBuffer bytes() {
    return ByteBuffer.allocate(HEADER)
        .putLong(MAGIC)
        .putLong(headEnd)
        .putLong(tailBase)
        .putLong(ringBytes)
        .putLong(end)
        .putLong(written)
        .rewind();
  }

  /** Reads a header; an open head ends where the file does. */
  static Layout read(ByteBuffer header, long fileBytes) {
    if (header.getLong() != MAGIC) {
      throw new IllegalStateException("this is no spool file");
    }
    Layout layout =
        new Layout(
            header.getLong(),
            header.getLong(),
            header.getLong(),
            header.getLong(),
            header.getLong());
    long length = fileBytes - HEADER;
    return layout.isOpen() ? new Layout(OPEN, 0, 0, length, length) : layout;
  }
}
