// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that arrived and wait for demand. Small pieces are joined, so neither one-byte frames nor many items cost more
 * than the bytes do; big ones are kept as they came, without a copy.
 */
final class Chunks {

  private static final int JOIN_BELOW = 16 * 1024;
  private static final int KEEP_ORDER_UP_TO = 64;

  /** A run of bytes of one stream. */
  static final class Chunk {
    final int stream;
    final long offset;
    private byte[] data;
    private int start;
    private int length;

    private Chunk(int stream, long offset, ByteBuffer bytes) {
      this.stream = stream;
      this.offset = offset;
      this.data = bytes.array();
      this.start = bytes.arrayOffset() + bytes.position();
      this.length = bytes.remaining();
    }

    int length() {
      return length;
    }

    ByteBuffer bytes() {
      return ByteBuffer.wrap(data, start, length).slice().asReadOnlyBuffer();
    }

    private boolean hasRoomFor(int bytes) {
      return length < JOIN_BELOW && length + bytes <= Frame.MAX_DATA_BYTES;
    }

    private void append(ByteBuffer bytes) {
      int total = length + bytes.remaining();
      if (start + total > data.length) {
        data = Arrays.copyOfRange(data, start, start + Math.max(2 * length, total));
        start = 0;
      }
      bytes.get(data, start + length, bytes.remaining());
      length = total;
    }
  }

  private final ArrayDeque<Chunk> queue = new ArrayDeque<>(4);
  private final @Nullable Chunk[] last = new Chunk[3];

  /** Adds bytes, which become this object's own. */
  void add(int stream, long offset, ByteBuffer bytes) {
    Chunk tail = last[stream];
    boolean inOrder = tail != null && tail == queue.peekLast();
    boolean join = inOrder || queue.size() >= KEEP_ORDER_UP_TO;
    if (tail != null && join && tail.hasRoomFor(bytes.remaining())) {
      tail.append(bytes);
    } else {
      Chunk fresh = new Chunk(stream, offset, bytes);
      last[stream] = fresh;
      queue.add(fresh);
    }
  }

  @Nullable Chunk poll() {
    Chunk first = queue.poll();
    if (first != null && first == last[first.stream]) {
      last[first.stream] = null;
    }
    return first;
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  void clear() {
    queue.clear();
    Arrays.fill(last, null);
  }
}
