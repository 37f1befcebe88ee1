// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The first output of a command, in memory for as long as its record lives; at most 64 KiB. */
final class Head {

  static final int LIMIT = 64 << 10;
  private static final int FIRST = 256;
  private static final byte[] EMPTY = {};

  private final MemoryBudget budget;
  private byte[] bytes = EMPTY;
  private int length;

  Head(MemoryBudget budget) {
    this.budget = budget;
  }

  int length() {
    return length;
  }

  /** Takes as much as it may hold, 0 when that is nothing. */
  int append(ByteBuffer data, int most) {
    int taken = Math.min(most, LIMIT - length);
    if (taken > 0 && !grow(length + taken)) {
      return 0;
    }
    data.get(bytes, length, taken);
    length += taken;
    return taken;
  }

  ByteString from(int begin) {
    return UnsafeByteOperations.unsafeWrap(bytes, begin, length - begin);
  }

  ByteBuffer bufferFrom(int begin) {
    return ByteBuffer.wrap(bytes, begin, length - begin);
  }

  void release() {
    budget.give(bytes.length);
    bytes = EMPTY;
    length = 0;
  }

  private boolean grow(int wanted) {
    if (wanted <= bytes.length) {
      return true;
    }
    int size = Math.min(LIMIT, Math.max(FIRST, Integer.highestOneBit(wanted - 1) << 1));
    if (!budget.take(size - bytes.length)) {
      return false;
    }
    bytes = Arrays.copyOf(bytes, size);
    return true;
  }
}
