// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

/** Byte sequences that break whoever takes output for text. */
final class Bytes {

  private Bytes() {}

  /** 0 to 255. */
  static byte[] all() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    return all;
  }

  /** The same for {@code printf}. */
  static String octalOfAll() {
    StringBuilder octal = new StringBuilder();
    for (int i = 0; i < 256; i++) {
      octal.append(String.format("\\%03o", i));
    }
    return octal.toString();
  }

  static byte[] repeat(byte[] bytes, int times) {
    byte[] repeated = new byte[bytes.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(bytes, 0, repeated, i * bytes.length, bytes.length);
    }
    return repeated;
  }
}
