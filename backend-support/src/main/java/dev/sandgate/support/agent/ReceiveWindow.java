// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.support.wire.MalformedFrameException;

/**
 * How far one incoming stream came and how far it may go. The limit is raised only while somebody wants more, so at most
 * {@link #SIZE} bytes are ever waiting here; updates are gathered until {@link #STEP} bytes are worth one.
 */
final class ReceiveWindow {

  static final long SIZE = 256 * 1024;
  static final long STEP = 64 * 1024;

  /** A guest short of memory keeps no more than this and waits for an acknowledgement. */
  private static final long KEPT_AT_LEAST = 4 * 1024;

  private final int stream;
  private boolean started;
  private long received;
  private long delivered;
  private long acknowledged;
  private long limit;

  /**
   * Starts at an offset.
   *
   * @param stream 1 or 2
   * @param from the first byte wanted
   */
  ReceiveWindow(int stream, long from) {
    this.stream = stream;
    this.received = from;
    this.delivered = from;
    this.acknowledged = from;
    this.limit = from;
  }

  /** Counts bytes that arrived; after an attach the first ones may lie further on than asked. */
  void arrived(long offset, int bytes) {
    boolean skipped = !started && offset >= received;
    if (offset != received && !skipped) {
      throw new MalformedFrameException("output at " + offset + ", expected at " + received);
    }
    delivered += offset - received;
    limit = Math.max(limit, offset);
    received = offset + bytes;
    started = true;
    if (received > limit + (skipped ? SIZE : 0)) {
      throw new MalformedFrameException("output beyond the window");
    }
  }

  /** Counts bytes of a stream whose frames carry no offsets. */
  void arrived(int bytes) {
    arrived(received, bytes);
  }

  /** Counts bytes that the subscriber took. */
  void delivered(int bytes) {
    delivered += bytes;
  }

  /** Tells the guest how far it may go, when that is worth a frame. To be called while more is wanted. */
  void grant(Link link, int channel) {
    if (delivered + SIZE - limit >= STEP) {
      limit = delivered + SIZE;
      tell(link, channel);
    }
  }

  /** Whether the guest may be waiting to forget bytes. */
  boolean owesAcknowledgement() {
    return delivered - acknowledged >= KEPT_AT_LEAST;
  }

  /** Tells the guest what it may forget. */
  void acknowledge(Link link, int channel) {
    if (owesAcknowledgement()) {
      tell(link, channel);
    }
  }

  private void tell(Link link, int channel) {
    acknowledged = delivered;
    link.send(FrameType.WINDOW, 0, channel, f -> f.u8(stream).u64(acknowledged).u64(limit));
  }
}
