// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.OutputStream;

/** Stdin with a position: what was written before is dropped, a gap is refused. */
final class ProcessInput {

  private final Process process;
  private long position;
  private boolean closed;

  ProcessInput(Process process, boolean open) {
    this.process = process;
    this.closed = !open;
  }

  /** Blocks while the pipe is full; an {@link IOException} says that the command closed it. */
  synchronized long write(long offset, byte[] bytes, boolean end) throws IOException {
    if (closed || !process.isAlive()) {
      throw new SandgateException(ErrorCode.FAILED_PRECONDITION, "stdin is closed");
    }
    if (offset > position) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION, "a gap: stdin is at " + position + ", not " + offset);
    }
    int known = (int) Math.min(bytes.length, position - offset);
    OutputStream stream = process.getOutputStream();
    stream.write(bytes, known, bytes.length - known);
    stream.flush();
    position += bytes.length - known;
    if (end) {
      closed = true;
      stream.close();
    }
    return position;
  }
}
