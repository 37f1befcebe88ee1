// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;

/** Consecutive output in memory. Bytes once written never change, so that readers share them. */
final class Page {

  static final int SIZE = 64 << 10;

  private final long offset;
  private final byte[] bytes = new byte[SIZE];
  private int length;

  Page(long offset) {
    this.offset = offset;
  }

  long offset() {
    return offset;
  }

  long end() {
    return offset + length;
  }

  boolean full() {
    return length == SIZE;
  }

  /** Takes as much as there is room for. */
  int append(ByteBuffer data, int most) {
    int taken = Math.min(most, SIZE - length);
    data.get(bytes, length, taken);
    length += taken;
    return taken;
  }

  ByteString from(long position) {
    int begin = (int) (position - offset);
    return UnsafeByteOperations.unsafeWrap(bytes, begin, length - begin);
  }

  ByteBuffer bufferFrom(long position) {
    int begin = (int) (position - offset);
    return ByteBuffer.wrap(bytes, begin, length - begin);
  }
}
