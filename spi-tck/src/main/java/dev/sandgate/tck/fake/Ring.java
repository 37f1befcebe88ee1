// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import java.nio.ByteBuffer;

/** Bytes between two absolute offsets, at most a fixed number; not thread-safe, its owner locks. */
final class Ring {

  private final byte[] bytes;
  private long start;
  private long end;

  Ring(int capacity) {
    bytes = new byte[capacity];
  }

  long end() {
    return end;
  }

  long start() {
    return start;
  }

  int room() {
    return (int) (bytes.length - (end - start));
  }

  /** Adds what there is room for. */
  void add(ByteBuffer data) {
    int size = Math.min(room(), data.remaining());
    for (int i = 0; i < size; i++) {
      bytes[(int) (end++ % bytes.length)] = data.get();
    }
  }

  /** A copy of what stands from an offset on. */
  byte[] copy(long from, int most) {
    int size = (int) Math.min(most, end - from);
    byte[] copy = new byte[size];
    for (int i = 0; i < size; i++) {
      copy[i] = bytes[(int) ((from + i) % bytes.length)];
    }
    return copy;
  }

  /** Forgets what stands before an offset. */
  void forget(long before) {
    start = Math.max(start, Math.min(before, end));
  }
}
