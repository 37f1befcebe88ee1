// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Tells a clock whenever something of a stream came. */
final class Moving extends FilterInputStream {

  private final Access.Clock clock;

  Moving(InputStream from, Access.Clock clock) {
    super(from);
    this.clock = clock;
  }

  @Override
  public int read() throws IOException {
    int one = super.read();
    clock.move();
    return one;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    int count = super.read(to, offset, length);
    clock.move();
    return count;
  }
}
