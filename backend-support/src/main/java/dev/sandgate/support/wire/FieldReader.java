// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the fields of a payload in order and refuses whatever does not fit. Unsigned 64-bit values above 2⁶³−1 come
 * out negative.
 */
public final class FieldReader {

  private final ByteBuffer payload;

  /**
   * Starts at the buffer's position.
   *
   * @param payload big endian, read until its limit
   */
  public FieldReader(ByteBuffer payload) {
    this.payload = payload;
  }

  /** The next byte, 0–255. */
  public int u8() {
    return need(1).get() & 0xff;
  }

  /** The next two bytes, 0–65535. */
  public int u16() {
    return need(2).getShort() & 0xffff;
  }

  /** The next four bytes, unsigned. */
  public long u32() {
    return need(4).getInt() & 0xffff_ffffL;
  }

  /** The next four bytes, signed. */
  public int i32() {
    return need(4).getInt();
  }

  /** The next eight bytes. */
  public long u64() {
    return need(8).getLong();
  }

  /** The next text. */
  public String str() {
    int length = u16();
    need(length);
    byte[] text = new byte[length];
    payload.get(text);
    for (byte b : text) {
      if (b == 0) {
        throw new MalformedFrameException("text with a NUL");
      }
    }
    return new String(text, StandardCharsets.UTF_8);
  }

  /** The next list of texts. */
  public List<String> list() {
    int count = u16();
    List<String> items = new ArrayList<>(Math.min(count, payload.remaining() / 2));
    for (int i = 0; i < count; i++) {
      items.add(str());
    }
    return items;
  }

  /** Everything that is left, without a copy. */
  public ByteBuffer bytes() {
    ByteBuffer rest = payload.slice();
    payload.position(payload.limit());
    return rest;
  }

  /** Whether nothing is left. */
  public boolean atEnd() {
    return !payload.hasRemaining();
  }

  /** Refuses trailing bytes. */
  public void end() {
    if (payload.hasRemaining()) {
      throw new MalformedFrameException(payload.remaining() + " trailing bytes");
    }
  }

  private ByteBuffer need(int bytes) {
    if (payload.remaining() < bytes) {
      throw new MalformedFrameException("a field ends after the payload");
    }
    return payload;
  }
}
