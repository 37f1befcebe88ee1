// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Iterator;

/** Chunks as an input stream. */
public final class ChunkInput extends InputStream {

  private final Iterator<ByteBuffer> chunks;
  private ByteBuffer chunk = ByteBuffer.allocate(0);

  /** Reads what an iterator gives. */
  public ChunkInput(Iterator<ByteBuffer> chunks) {
    this.chunks = chunks;
  }

  private boolean hasNext() {
    while (!chunk.hasRemaining() && chunks.hasNext()) {
      chunk = chunks.next();
    }
    return chunk.hasRemaining();
  }

  @Override
  public int read() {
    return hasNext() ? chunk.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] to, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (!hasNext()) {
      return -1;
    }
    int count = Math.min(length, chunk.remaining());
    chunk.get(to, offset, count);
    return count;
  }
}
