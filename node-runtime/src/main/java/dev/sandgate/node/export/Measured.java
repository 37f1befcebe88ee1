// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Counts and digests what passes through it to another stream, or to nowhere. */
final class Measured extends OutputStream {

  private final OutputStream to;
  private final MessageDigest digest;
  private long size;

  Measured(OutputStream to) {
    this.to = to;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new java.io.InterruptedIOException("the caller gave up");
    }
    digest.update(bytes, offset, count);
    size += count;
    to.write(bytes, offset, count);
  }

  /** Measures bytes that go nowhere. */
  void put(byte[] bytes) {
    digest.update(bytes);
    size += bytes.length;
  }

  long size() {
    return size;
  }

  /** {@code sha256:…} of everything so far; ends it. */
  String digest() {
    return "sha256:" + HexFormat.of().formatHex(digest.digest());
  }
}
