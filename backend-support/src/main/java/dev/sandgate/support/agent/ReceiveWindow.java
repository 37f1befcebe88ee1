// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.support.wire.MalformedFrameException;

/**
 * How far one incoming stream came and how far it may go. The limit is raised only while somebody wants more, so at most
 * {@link #SIZE} bytes are ever waiting here; updates are gathered until {@link #STEP} bytes are worth one.
 *
 * <p>A stream that is taken up again may begin further on than asked, at a place only the guest knows. Its limit is
 * therefore open from the first demand on, and what bounds it is that the guest holds {@link #SIZE} bytes at most until
 * they are acknowledged.
 */
final class ReceiveWindow {

  static final long SIZE = 256 * 1024;
  static final long STEP = 64 * 1024;

  /** A guest short of memory keeps no more than this and waits for an acknowledgement. */
  private static final long KEPT_AT_LEAST = 4 * 1024;

  private static final long OPEN = Long.MAX_VALUE;

  private final int stream;
  private final boolean resumed;
  private boolean started;
  private long received;
  private long delivered;
  private long acknowledged;
  private long limit;

  private ReceiveWindow(int stream, long from, boolean resumed) {
    this.stream = stream;
    this.resumed = resumed;
    this.received = from;
    this.delivered = from;
    this.acknowledged = from;
    this.limit = from;
  }

  /** A stream that begins now. */
  static ReceiveWindow fresh(int stream) {
    return new ReceiveWindow(stream, 0, false);
  }

  /** A stream that is taken up at a byte, or later where the guest kept less. */
  static ReceiveWindow resumed(int stream, long from) {
    return new ReceiveWindow(stream, from, true);
  }

  /** Counts bytes that arrived. */
  void arrived(long offset, int bytes) {
    if (resumed && !started && offset > received) {
      delivered = offset;
      acknowledged = offset;
      received = offset;
    }
    started = true;
    if (offset != received) {
      throw new MalformedFrameException("output at " + offset + ", expected at " + received);
    }
    received += bytes;
    if (received > limit || received - delivered > SIZE) {
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
    long wanted = resumed ? OPEN : delivered + SIZE;
    if (wanted - limit >= STEP || delivered - acknowledged >= STEP) {
      limit = wanted;
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
