// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * One side of a relayed stream, client's or node's: what is known about it on its connection, and its peer, the leg on
 * the other side. Owned by its connection; touched only on the loop.
 *
 * <p>Bytes that arrive on a leg are sent on its peer. `credit` of the one never exceeds what `window` and `pending` of
 * the other leave room for, once the announced initial window is used up.
 */
final class Leg {

  final FrameConnection connection;
  final int id;
  @Nullable Leg peer;

  /** Only on a client's leg, until it is routed. */
  @Nullable Opening opening;

  /** Only on a client's leg, while its first message is known to be incomplete. */
  @Nullable FirstMessage first;

  /** How many bytes may be sent on it; negative after its peer shrank the initial window. */
  int window;

  /** How many bytes may still arrive on it. */
  int credit;

  /** Bytes that wait to be sent on it; null or readable. */
  @Nullable ByteBuf pending;

  /** The headers that end it, to be sent after what is pending. */
  @Nullable Http2Headers trailers;

  /** Whether END_STREAM follows what is pending. */
  boolean endPending;

  /** Whether it is in its connection's queue of blocked legs. */
  boolean queued;

  /** Whether response headers were sent on it. */
  boolean headersSent;

  /** Whether END_STREAM arrived on it. */
  boolean remoteEnded;

  /** Whether END_STREAM was sent on it. */
  boolean localEnded;

  /** Whether its connection has forgotten it. */
  boolean closed;

  Leg(FrameConnection connection, int id, int window, int credit) {
    this.connection = connection;
    this.id = id;
    this.window = window;
    this.credit = credit;
  }

  int pendingBytes() {
    ByteBuf waiting = pending;
    return waiting == null ? 0 : waiting.readableBytes();
  }

  /** Makes two legs one stream. */
  void pair(Leg other) {
    peer = other;
    other.peer = this;
  }

  void unpair() {
    Leg other = peer;
    if (other != null) {
      other.peer = null;
      peer = null;
    }
  }
}
