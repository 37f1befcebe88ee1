// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Sends the data of streams on one connection, within its windows.
 *
 * <p>Data that fits is copied to the output at once. What does not fit waits with its leg and leaves in turns of one
 * frame, oldest first. A producer is granted what its consumer's window leaves room for, at most its connection's
 * credit limit, and is granted more when bytes were delivered: so little waits here, and none for a consumer whose
 * stream window is closed. While much waits for a connection nobody is granted more.
 */
final class Sending {

  private static final int FRAME_BYTES = Http2CodecUtil.MAX_FRAME_SIZE_LOWER_BOUND;
  private static final int PURGE_AT = 64;

  private final FrameConnection connection;
  private final RelayLoop loop;
  private final long limit;
  private final ArrayDeque<Leg> blocked = new ArrayDeque<>();
  private int window = FrameConnection.DEFAULT_WINDOW;
  private long held;
  private boolean withheld;

  Sending(FrameConnection connection) {
    this.connection = connection;
    this.loop = connection.loop;
    this.limit = loop.settings().pendingPerConnection();
  }

  /** Sends bytes of a leg's peer, or keeps them. */
  void send(Leg leg, ByteBuf data, boolean end) {
    int length = data.readableBytes();
    boolean fits = length <= leg.window && length <= window && connection.output.accepts();
    if (leg.pending == null && (fits || length == 0)) {
      connection.output.data(leg.id, data, length, end);
      leg.window -= length;
      window -= length;
      if (end) {
        ended(leg);
      } else {
        replenish(leg);
      }
    } else {
      keep(leg, data);
      if (!leg.closed) {
        leg.endPending |= end;
        enqueue(leg);
        drain();
      }
    }
  }

  /** Sends headers that end a leg after what waits on it. */
  void finish(Leg leg, Http2Headers trailers) {
    if (leg.pending == null) {
      end(leg, trailers);
    } else {
      leg.trailers = trailers;
    }
  }

  /** Takes over bytes that were kept before the leg existed; whoever kept them has reserved them. */
  void adopt(Leg leg, ByteBuf data, boolean end) {
    held += data.readableBytes();
    leg.pending = data;
    leg.endPending = end;
    enqueue(leg);
    drain();
  }

  /** Counts bytes that are kept for this connection elsewhere; false when there are too many already. */
  boolean reserve(int bytes) {
    if (held + bytes > limit || !loop.reserve(bytes)) {
      return false;
    }
    held += bytes;
    return true;
  }

  /** Gives back what was reserved, except to the loop when the bytes go on to another connection. */
  void unreserve(int bytes, boolean movedOn) {
    held -= bytes;
    if (!movedOn) {
      loop.unreserve(bytes);
    }
  }

  /** The peer takes more on all streams together. */
  void widen(int increment) throws Http2Exception {
    if (increment > Integer.MAX_VALUE - Math.max(window, 0)) {
      throw Http2Exception.connectionError(
          Http2Error.FLOW_CONTROL_ERROR, "connection window overflow");
    }
    window += increment;
    drain();
  }

  /** The peer takes more, or less, on a stream; false when its window overflows. */
  boolean widen(Leg leg, int change) {
    long widened = (long) leg.window + change;
    if (widened > Integer.MAX_VALUE || widened < Integer.MIN_VALUE) {
      return false;
    }
    leg.window = (int) widened;
    if (leg.pending != null && leg.window > 0) {
      enqueue(leg);
      drain();
    }
    if (!leg.closed) {
      replenish(leg);
    }
    return true;
  }

  /** Sends what waits, as far as the windows and the socket allow. */
  void drain() {
    while (window > 0 && !blocked.isEmpty() && connection.output.accepts()) {
      Leg leg = blocked.remove();
      leg.queued = false;
      if (!leg.closed && turn(leg)) {
        enqueue(leg);
      }
    }
    if (withheld && held < limit / 4) {
      withheld = false;
      for (Leg leg : connection.legs()) {
        replenish(leg);
      }
    }
  }

  /** Forgets what waits on a leg. */
  void drop(Leg leg) {
    ByteBuf waiting = leg.pending;
    if (waiting != null) {
      release(leg, waiting);
    }
    leg.trailers = null;
    if (blocked.size() > PURGE_AT + 2 * connection.streams()) {
      blocked.removeIf(queued -> queued.closed);
    }
  }

  void clear() {
    blocked.clear();
  }

  // One frame; true when more waits and the stream's window is open.
  private boolean turn(Leg leg) {
    ByteBuf waiting = leg.pending;
    if (waiting == null) {
      return false;
    }
    int readable = waiting.readableBytes();
    int length = Math.min(Math.min(readable, FRAME_BYTES), Math.min(leg.window, window));
    if (length <= 0) {
      return false;
    }
    boolean last = length == readable;
    Http2Headers trailers = leg.trailers;
    boolean end = last && leg.endPending && trailers == null;
    connection.output.data(leg.id, waiting, length, end);
    leg.window -= length;
    window -= length;
    held -= length;
    loop.unreserve(length);
    if (!last) {
      return true;
    }
    release(leg, waiting);
    if (trailers != null) {
      end(leg, trailers);
    } else if (end) {
      ended(leg);
    } else {
      replenish(leg);
    }
    return false;
  }

  private void end(Leg leg, Http2Headers trailers) {
    try {
      connection.output.headers(leg.id, trailers, true);
      ended(leg);
    } catch (Http2Exception e) {
      connection.abort(leg, e.error());
    }
  }

  private void ended(Leg leg) {
    leg.localEnded = true;
    connection.sentEnd(leg);
  }

  private void keep(Leg leg, ByteBuf data) {
    int length = data.readableBytes();
    if (!reserve(length)) {
      connection.abort(leg, Http2Error.ENHANCE_YOUR_CALM);
      return;
    }
    leg.pending = appended(loop, leg.pending, data);
  }

  /** Puts bytes behind others that wait. */
  static ByteBuf appended(RelayLoop loop, @Nullable ByteBuf waiting, ByteBuf data) {
    ByteBuf all =
        waiting == null ? loop.allocate(data.readableBytes()) : waiting.discardSomeReadBytes();
    return all.writeBytes(data, data.readerIndex(), data.readableBytes());
  }

  private void release(Leg leg, ByteBuf waiting) {
    int left = waiting.readableBytes();
    held -= left;
    loop.unreserve(left);
    leg.pending = null;
    waiting.release();
  }

  private void enqueue(Leg leg) {
    if (!leg.queued) {
      leg.queued = true;
      blocked.add(leg);
    }
  }

  /** Grants the producer of a leg's bytes what there is room for, if that is worth a frame. */
  void replenish(Leg leg) {
    Leg producer = leg.peer;
    if (producer == null || producer.remoteEnded || leg.window <= producer.credit) {
      return;
    }
    FrameConnection from = producer.connection;
    int room = Math.min(leg.window - leg.pendingBytes(), from.creditLimit);
    int missing = room - producer.credit;
    if (missing > 0 && (missing >= from.creditLimit / 2 || missing >= producer.credit)) {
      if (held > limit / 2) {
        withheld = true;
        return;
      }
      producer.credit = room;
      from.output.windowUpdate(producer.id, missing);
    }
  }
}
