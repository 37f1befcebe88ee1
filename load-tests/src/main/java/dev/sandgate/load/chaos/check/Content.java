// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The bytes that a stream of a command has to have. Immutable. */
public final class Content {

  /** Nothing. */
  public static final Content EMPTY = new Content(new byte[0], 0);

  /** The most numbers that {@link #numbers} gives. */
  public static final int MOST_NUMBERS = 300_000;

  private static final byte[] NUMBERS = lines("", MOST_NUMBERS).bytes;

  private final byte[] bytes;
  private final int length;

  private Content(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  /** Lines that begin so and go on with their number, from 1. */
  public static Content lines(String beginning, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= count; i++) {
      text.append(beginning).append(i).append('\n');
    }
    return of(text.toString());
  }

  /** The numbers from 1, a line each; the bytes are shared. */
  public static Content numbers(int count) {
    int length = 0;
    int begin = 1;
    for (int digits = 1; begin <= count; digits++) {
      int next = begin * 10;
      length += (Math.min(count, next - 1) - begin + 1) * (digits + 1);
      begin = next;
    }
    return new Content(NUMBERS, length);
  }

  /** A text. */
  public static Content of(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return new Content(bytes, bytes.length);
  }

  /** How many bytes. */
  public long length() {
    return length;
  }

  /** Part of it. */
  public ByteBuffer slice(int from, int to) {
    return ByteBuffer.wrap(bytes, from, to - from).slice().asReadOnlyBuffer();
  }

  /** Whether these bytes belong at this place. */
  public boolean matches(long offset, ByteBuffer data) {
    long end = offset + data.remaining();
    return offset >= 0 && end <= length && data.equals(slice((int) offset, (int) end));
  }
}
