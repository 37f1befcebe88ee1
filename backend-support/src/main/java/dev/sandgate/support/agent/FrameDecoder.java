// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.support.wire.MalformedFrameException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a byte stream into frames. Payloads are filled straight from the transport's buffers, so output is copied once on
 * its way to the subscriber; at most one unfinished payload is held.
 */
final class FrameDecoder {

  private final Consumer<Frame> sink;
  private final ByteBuffer header = ByteBuffer.allocate(Frame.HEADER_BYTES);
  private @Nullable ByteBuffer payload;

  FrameDecoder(Consumer<Frame> sink) {
    this.sink = sink;
  }

  /**
   * Takes all bytes of a buffer and hands on every frame they complete.
   *
   * @throws MalformedFrameException when they are no frame; the decoder is of no more use
   */
  void feed(ByteBuf in) {
    while (in.isReadable()) {
      if (payload == null && fill(header, in)) {
        payload = ByteBuffer.allocate(payloadLength());
      }
      if (payload != null && fill(payload, in)) {
        finish(payload.flip());
      }
    }
  }

  private static boolean fill(ByteBuffer target, ByteBuf in) {
    int bytes = Math.min(target.remaining(), in.readableBytes());
    int limit = target.limit();
    in.readBytes(target.limit(target.position() + bytes));
    return !target.limit(limit).hasRemaining();
  }

  private int payloadLength() {
    int length = header.getInt(0);
    if (length < 0 || length > Frame.MAX_PAYLOAD_BYTES) {
      throw new MalformedFrameException("frame of " + Integer.toUnsignedString(length) + " bytes");
    }
    if (header.getShort(6) != 0) {
      throw new MalformedFrameException("reserved bytes are not zero");
    }
    return length;
  }

  private void finish(ByteBuffer complete) {
    Frame frame = new Frame(header.get(4) & 0xff, header.get(5) & 0xff, header.getInt(8), complete);
    header.clear();
    payload = null;
    sink.accept(frame);
  }
}
