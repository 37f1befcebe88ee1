// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.support.agent.Chunks.Chunk;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The byte streams that one exchange receives: what waits, and the guest's windows. Event loop only. */
final class Incoming {

  private static final long ACKNOWLEDGE_AFTER_MILLIS = 20;

  private final Link link;
  private final Exchange exchange;
  private final ReceiveWindow[] windows;
  private final Chunks waiting = new Chunks();
  private @Nullable Chunk handed;
  private boolean acknowledging;
  private boolean closed;

  /**
   * Streams of an exchange.
   *
   * @param link where from
   * @param exchange whose they are
   * @param windows of stream 1 and, when there is one, of stream 2
   */
  Incoming(Link link, Exchange exchange, ReceiveWindow... windows) {
    this.link = link;
    this.exchange = exchange;
    this.windows = windows;
  }

  /** Takes an OUTPUT frame. */
  void output(Frame frame) {
    FieldReader fields = frame.fields();
    int stream = fields.u8();
    long offset = fields.u64();
    ByteBuffer bytes = fields.bytes();
    if (stream < 1 || stream > windows.length || bytes.remaining() > Frame.MAX_DATA_BYTES) {
      throw new MalformedFrameException(
          "output on stream " + stream + " of " + bytes.remaining() + " bytes");
    }
    windows[stream - 1].arrived(offset, bytes.remaining());
    if (bytes.hasRemaining() && !closed) {
      waiting.add(stream, offset, bytes);
    }
  }

  /** Takes the next chunk; {@link #delivered} says when it was handed over. */
  @Nullable Chunk poll() {
    handed = waiting.poll();
    return handed;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** The subscriber returned from the chunk polled last. */
  void delivered() {
    Chunk chunk = handed;
    if (chunk != null) {
      windows[chunk.stream - 1].delivered(chunk.length());
      handed = null;
      acknowledgeSoon();
    }
  }

  /** More is wanted. */
  void grant() {
    for (ReceiveWindow window : windows) {
      window.grant(link, exchange.channel);
    }
  }

  /** Nobody takes anything any more. */
  void close() {
    closed = true;
    waiting.clear();
  }

  private void acknowledgeSoon() {
    if (!acknowledging && owesAcknowledgement()) {
      acknowledging = true;
      link.schedule(this::acknowledge, ACKNOWLEDGE_AFTER_MILLIS);
    }
  }

  private boolean owesAcknowledgement() {
    for (ReceiveWindow window : windows) {
      if (window.owesAcknowledgement()) {
        return true;
      }
    }
    return false;
  }

  private void acknowledge() {
    acknowledging = false;
    for (ReceiveWindow window : windows) {
      window.acknowledge(link, exchange.channel);
    }
  }
}
