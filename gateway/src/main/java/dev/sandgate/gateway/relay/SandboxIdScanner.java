// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Finds field 1, a string, in the first gRPC message of a stream while its bytes arrive. Each byte is looked at a
 * bounded number of times, whatever the pieces; nothing is allocated by what a length claims.
 */
final class SandboxIdScanner {

  /** What the bytes so far say. */
  enum Result {
    /** The field is there, see {@link #id()}. */
    FOUND,
    /** More bytes are needed. */
    MORE,
    /** The message, or its searched part, ends without it. */
    ABSENT,
    /** The message is compressed. */
    COMPRESSED,
    /** This is no message, or field 1 is no identifier. */
    MALFORMED
  }

  /** How far into a message is searched; a client may send this much before it is granted more. */
  static final int SEARCHED_BYTES = 65_535;

  private static final int PREFIX_BYTES = 5;
  private static final int MAX_ID_BYTES = 128;
  private static final int MAX_VARINT_BYTES = 10;

  private long at;
  private long end;
  private String id = "";

  // Of the varint read last.
  private long value;
  private int next;

  /** The field, once found. */
  String id() {
    return id;
  }

  /** How much of the message has not come when so many bytes of the stream have. */
  long missing(int available) {
    return Math.max(0, end - available);
  }

  /** Looks at the stream's bytes from its first on; call again with more bytes after MORE. */
  Result scan(ByteBuf stream) {
    int available = stream.readableBytes();
    if (end == 0) {
      if (available < PREFIX_BYTES) {
        return Result.MORE;
      }
      int start = stream.readerIndex();
      if (stream.getByte(start) != 0) {
        return Result.COMPRESSED;
      }
      at = PREFIX_BYTES;
      end = PREFIX_BYTES + stream.getUnsignedInt(start + 1);
    }
    Result result = Result.MORE;
    while (result == Result.MORE && at < end && at < available) {
      long before = at;
      result = field(stream, (int) Math.min(available, end));
      if (at == before) {
        break;
      }
    }
    return result == Result.MORE ? pause(available) : result;
  }

  // Out of bytes: of the message, of the searched part, or of what has come so far.
  private Result pause(int available) {
    if (at > end || (at < end && available >= end)) {
      return Result.MALFORMED;
    }
    boolean exhausted = at == end || at >= SEARCHED_BYTES || available >= SEARCHED_BYTES;
    return exhausted ? Result.ABSENT : Result.MORE;
  }

  // Moves `at` behind the field, or leaves it there when the field is incomplete.
  private Result field(ByteBuf stream, int limit) {
    int start = stream.readerIndex();
    if (!varint(stream, start, (int) at, limit)) {
      return tooLong((int) at, limit);
    }
    int number = (int) (value >>> 3);
    int wireType = (int) value & 7;
    if (value >>> 32 != 0 || number == 0) {
      return Result.MALFORMED;
    }
    if (number == 1) {
      return wireType == 2 ? identifier(stream, start, limit) : Result.MALFORMED;
    }
    return skip(stream, wireType, limit);
  }

  private Result skip(ByteBuf stream, int wireType, int limit) {
    int from = next;
    switch (wireType) {
      case 0 -> {
        if (!varint(stream, stream.readerIndex(), from, limit)) {
          return tooLong(from, limit);
        }
        at = next;
      }
      case 1 -> at = from + 8L;
      case 2 -> {
        if (!varint(stream, stream.readerIndex(), from, limit)) {
          return tooLong(from, limit);
        }
        if (value < 0 || value > Integer.MAX_VALUE) {
          return Result.MALFORMED;
        }
        at = next + value;
      }
      case 5 -> at = from + 4L;
      default -> {
        return Result.MALFORMED;
      }
    }
    return Result.MORE;
  }

  private Result identifier(ByteBuf stream, int start, int limit) {
    int from = next;
    if (!varint(stream, start, from, limit)) {
      return tooLong(from, limit);
    }
    if (value < 0 || value > MAX_ID_BYTES) {
      return Result.MALFORMED;
    }
    if (next + value > limit) {
      return Result.MORE;
    }
    id = stream.toString(start + next, (int) value, StandardCharsets.ISO_8859_1);
    return Result.FOUND;
  }

  private boolean varint(ByteBuf stream, int start, int from, int limit) {
    long result = 0;
    for (int i = 0; i < MAX_VARINT_BYTES && from + i < limit; i++) {
      byte part = stream.getByte(start + from + i);
      result |= (long) (part & 0x7f) << (7 * i);
      if (part >= 0) {
        value = result;
        next = from + i + 1;
        return true;
      }
    }
    return false;
  }

  private static Result tooLong(int from, int limit) {
    return limit - from >= MAX_VARINT_BYTES ? Result.MALFORMED : Result.MORE;
  }
}
