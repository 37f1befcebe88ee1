// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes of one entry's names in its header and before it, which the library decodes with a loss. */
final class RawNames {

  private static final int NAME = 0;
  private static final int NAME_BYTES = 100;
  private static final int LINK = 157;
  private static final int PREFIX = 345;
  private static final int PREFIX_BYTES = 155;
  private static final int MOST_BYTES = 1 << 20;

  private final ByteArrayOutputStream longNames = new ByteArrayOutputStream();
  private byte[] header = {};

  void clear() {
    longNames.reset();
    header = new byte[0];
  }

  void header(byte[] record) {
    header = record.clone();
  }

  void longName(byte[] bytes, int offset, int count) throws IOException {
    if (longNames.size() + count > MOST_BYTES) {
      throw new IOException("a name has more than 1 MiB");
    }
    longNames.write(bytes, offset, count);
  }

  boolean areUtf8() {
    return isUtf8(longNames.toByteArray())
        && isField(NAME, NAME_BYTES)
        && isField(LINK, NAME_BYTES)
        && isField(PREFIX, PREFIX_BYTES);
  }

  private boolean isField(int at, int most) {
    if (header.length < at + most) {
      return true;
    }
    int end = at;
    while (end < at + most && header[end] != 0) {
      end++;
    }
    return isUtf8(Arrays.copyOfRange(header, at, end));
  }

  private static boolean isUtf8(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
