// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import io.smallrye.mutiny.Multi;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/** Cuts buffers into messages. */
final class Chunks {

  private Chunks() {}

  /** Views of a buffer's remaining bytes, each at most so large; nothing is copied. */
  static Multi<ByteBuffer> of(ByteBuffer buffer, int size) {
    int count = (buffer.remaining() + size - 1) / size;
    return Multi.createFrom()
        .items(IntStream.range(0, count).mapToObj(i -> slice(buffer, i * size, size)));
  }

  private static ByteBuffer slice(ByteBuffer buffer, int from, int size) {
    return buffer.slice(buffer.position() + from, Math.min(size, buffer.remaining() - from));
  }
}
