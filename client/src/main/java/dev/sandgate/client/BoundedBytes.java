// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Gathers a file in memory up to a limit. */
final class BoundedBytes {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final String path;
  private final int max;

  BoundedBytes(String path, int max) {
    this.path = path;
    this.max = max;
  }

  void add(ByteBuffer part) {
    if (part.remaining() > max - bytes.size()) {
      throw SandgateClientException.exhausted(path + " has more than " + max + " bytes");
    }
    byte[] copy = new byte[part.remaining()];
    part.get(copy);
    bytes.writeBytes(copy);
  }

  byte[] take() {
    return bytes.toByteArray();
  }
}
