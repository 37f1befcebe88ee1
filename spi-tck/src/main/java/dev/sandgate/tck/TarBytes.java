// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Small tar archives, entry by entry, well-formed whatever they ask for. */
final class TarBytes {

  private static final int BLOCK = 512;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  TarBytes file(String name, String content) {
    return entry(name, '0', "", 0644, content);
  }

  TarBytes directory(String name) {
    return entry(name, '5', "", 0755, "");
  }

  TarBytes link(String name, String target) {
    return entry(name, '2', target, 0777, "");
  }

  TarBytes entry(String name, char type, String link, int mode, String content) {
    byte[] data = content.getBytes(StandardCharsets.UTF_8);
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, 100, "%07o".formatted(mode));
    put(header, 108, "%07o".formatted(0));
    put(header, 116, "%07o".formatted(0));
    put(header, 124, "%011o".formatted(data.length));
    put(header, 136, "%011o".formatted(1_234_567_890));
    put(header, 148, "        ");
    put(header, 156, String.valueOf(type));
    put(header, 157, link);
    put(header, 257, "ustar\0" + "00");
    int sum = 0;
    for (byte b : header) {
      sum += b & 0xff;
    }
    put(header, 148, "%06o\0".formatted(sum));
    out.writeBytes(header);
    out.writeBytes(data);
    out.writeBytes(new byte[(BLOCK - data.length % BLOCK) % BLOCK]);
    return this;
  }

  private static void put(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  /** The archive with its end. */
  byte[] bytes() {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(out.toByteArray());
    whole.writeBytes(new byte[2 * BLOCK]);
    return whole.toByteArray();
  }
}
