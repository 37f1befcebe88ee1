// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Files.Checksum;
import dev.sandgate.spi.Files.EventKind;
import dev.sandgate.spi.Files.FileEvent;
import dev.sandgate.spi.Files.FileInfo;
import dev.sandgate.spi.Files.FileType;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** The guest's answers about files, taken from their frames. */
final class FileFrames {

  private static final FileType[] TYPES = FileType.values();
  private static final EventKind[] KINDS = EventKind.values();
  private static final int DIGEST_BYTES = 32;

  private FileFrames() {}

  /** Reads an ENTRY frame. */
  static FileInfo entry(Frame frame) {
    FieldReader f = fields(frame, FrameType.ENTRY);
    String path = f.str();
    FileType type = TYPES[below(f.u8(), TYPES.length)];
    FileInfo info = new FileInfo(path, type, f.i32(), f.i32(), f.i32(), f.u64(), f.u64(), f.str());
    f.end();
    return info;
  }

  /** Reads an EVENT frame. */
  static FileEvent event(Frame frame) {
    FieldReader f = fields(frame, FrameType.EVENT);
    EventKind kind = KINDS[below(f.u8(), KINDS.length)];
    FileEvent event = new FileEvent(kind, below(f.u8(), 2) == 1, f.str(), f.str());
    f.end();
    return event;
  }

  /** Reads a DIGEST frame. */
  static Checksum digest(Frame frame) {
    FieldReader f = fields(frame, FrameType.DIGEST);
    long size = f.u64();
    ByteBuffer digest = f.bytes();
    if (digest.remaining() != DIGEST_BYTES) {
      throw new MalformedFrameException("a digest of " + digest.remaining() + " bytes");
    }
    byte[] bytes = new byte[DIGEST_BYTES];
    digest.get(bytes);
    return new Checksum(size, HexFormat.of().formatHex(bytes));
  }

  private static FieldReader fields(Frame frame, int type) {
    if (frame.type() != type) {
      throw new MalformedFrameException("frame type " + frame.type() + " instead of " + type);
    }
    return frame.fields();
  }

  private static int below(int value, int limit) {
    if (value >= limit) {
      throw new MalformedFrameException("a value of " + value + ", at most " + (limit - 1));
    }
    return value;
  }
}
