// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.util.List;

/** Puts the fields of a payload in order into a buffer that the caller owns. */
public final class FieldWriter {

  private final ByteBuf out;

  /**
   * Appends to a buffer.
   *
   * @param out grows as needed
   */
  public FieldWriter(ByteBuf out) {
    this.out = out;
  }

  /** Appends one byte. */
  public FieldWriter u8(int value) {
    out.writeByte(value);
    return this;
  }

  /** Appends two bytes. */
  public FieldWriter u16(int value) {
    out.writeShort(value);
    return this;
  }

  /** Appends four bytes. */
  public FieldWriter u32(long value) {
    out.writeInt((int) value);
    return this;
  }

  /** Appends eight bytes. */
  public FieldWriter u64(long value) {
    out.writeLong(value);
    return this;
  }

  /**
   * Appends a text.
   *
   * @throws IllegalArgumentException when it is longer than 65,535 bytes or has a NUL
   */
  public FieldWriter str(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("text with a NUL");
    }
    int length = ByteBufUtil.utf8Bytes(text);
    if (length > 0xffff) {
      throw new IllegalArgumentException("text of " + length + " bytes, at most 65535");
    }
    out.writeShort(length);
    ByteBufUtil.reserveAndWriteUtf8(out, text, length);
    return this;
  }

  /** Appends a list of texts; errors as {@link #str}. */
  public FieldWriter list(List<String> items) {
    if (items.size() > 0xffff) {
      throw new IllegalArgumentException(items.size() + " items, at most 65535");
    }
    out.writeShort(items.size());
    items.forEach(this::str);
    return this;
  }

  /** Appends the bytes between position and limit, which stay as they are. */
  public FieldWriter bytes(ByteBuffer data) {
    out.writeBytes(data.duplicate());
    return this;
  }
}
