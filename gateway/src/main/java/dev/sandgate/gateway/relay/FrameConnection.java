// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection of the relay, to a client or to a node. It keeps its legs and the windows of the connection,
 * which are hop by hop; the windows of streams are end to end, see {@link Sending}. Used by its loop only.
 */
abstract class FrameConnection extends Http2FrameAdapter {

  /** What a peer may have under way to us, over all streams of a connection; credited on receipt. */
  static final int CONNECTION_WINDOW = 1 << 20;

  /** The window of the protocol before any setting. */
  static final int DEFAULT_WINDOW = 65_535;

  private static final int CONTROL_FRAMES = 5_000;

  final RelayLoop loop;
  final Channel channel;
  final FrameOutput output;
  final Sending sending;

  /** What a stream's producer may send here ahead of its consumer, bytes. */
  final int creditLimit;

  private final IntObjectHashMap<Leg> legs = new IntObjectHashMap<>();
  private int peerInitialWindow = DEFAULT_WINDOW;
  private int receiveCredit = CONNECTION_WINDOW;
  private boolean configured;
  private boolean closed;
  private int controlFrames;
  private final FrameProgress progress = new FrameProgress();
  private boolean heard = true;
  private boolean pinged;
  private long heardNanos;

  FrameConnection(RelayLoop loop, Channel channel, int creditLimit) throws Http2Exception {
    this.loop = loop;
    this.channel = channel;
    this.creditLimit = creditLimit;
    output = new FrameOutput(loop, channel);
    sending = new Sending(this);
  }

  /** Bytes of a stream's peer, in order; {@code end} when there will be none after them. */
  abstract void received(Leg leg, ByteBuf data, boolean end);

  /** END_STREAM was just sent on a leg. */
  abstract void sentEnd(Leg leg);

  /** The other side gave the stream up: so does this one. */
  abstract void cancel(Leg leg, long code);

  /** The stream cannot go on because of what happened on the other side. */
  abstract void broken(Leg leg, Http2Error why);

  /** The connection is gone, with all its streams. */
  abstract void abandoned(List<Leg> lost);

  /** The first settings of the peer have come. */
  abstract void ready();

  /** Whether a stream of this id was ever begun here. */
  abstract boolean begun(int id);

  /** A leg is about to be forgotten. */
  void closing(Leg leg) {}

  /** A whole frame, or block of headers, arrived. */
  final void framed() {
    progress.framed();
  }

  /** Bytes arrived. */
  final void heard() {
    heard = true;
  }

  final boolean closed() {
    return closed;
  }

  final int streams() {
    return legs.size();
  }

  final Leg open(int id, int credit) {
    Leg leg = new Leg(this, id, peerInitialWindow, credit);
    legs.put(id, leg);
    return leg;
  }

  final void close(Leg leg) {
    if (!leg.closed) {
      leg.closed = true;
      closing(leg);
      legs.remove(leg.id);
      sending.drop(leg);
      leg.unpair();
    }
  }

  final void reset(Leg leg, long code) {
    if (!leg.closed) {
      output.reset(leg.id, code);
      close(leg);
    }
  }

  /** Ends a stream on both sides because its peer here broke the rules. */
  final void abort(Leg leg, Http2Error error) {
    Leg other = leg.peer;
    leg.unpair();
    reset(leg, error.code());
    if (other != null) {
      other.connection.broken(other, error);
    }
  }

  final List<Leg> legs() {
    return new ArrayList<>(legs.values());
  }

  final @Nullable Leg find(int id) {
    return legs.get(id);
  }

  @Override
  public final int onDataRead(
      ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean end)
      throws Http2Exception {
    int length = data.readableBytes() + padding;
    receive(length);
    Leg leg = legs.get(id);
    if (leg == null) {
      requireBegun(id);
      return length;
    }
    leg.credit -= length;
    if (leg.remoteEnded) {
      abort(leg, Http2Error.STREAM_CLOSED);
    } else if (leg.credit < 0) {
      abort(leg, Http2Error.FLOW_CONTROL_ERROR);
    } else if (end || data.isReadable()) {
      leg.remoteEnded = end;
      received(leg, data, end);
    } else {
      empty(leg);
    }
    return length;
  }

  // Padding, or nothing at all, goes no further: nodes end connections on which much of it comes.
  private static void empty(Leg leg) {
    Leg consumer = leg.peer;
    if (consumer != null) {
      consumer.connection.sending.replenish(consumer);
    }
  }

  private void receive(int length) throws Http2Exception {
    framed();
    receiveCredit -= length;
    if (receiveCredit < 0) {
      throw Http2Exception.connectionError(
          Http2Error.FLOW_CONTROL_ERROR, "connection window exceeded");
    }
    if (receiveCredit <= CONNECTION_WINDOW / 2) {
      output.windowUpdate(0, CONNECTION_WINDOW - receiveCredit);
      receiveCredit = CONNECTION_WINDOW;
    }
  }

  @Override
  public final void onHeadersRead(
      ChannelHandlerContext context,
      int id,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean end)
      throws Http2Exception {
    onHeadersRead(context, id, headers, padding, end);
  }

  @Override
  public final void onRstStreamRead(ChannelHandlerContext context, int id, long code)
      throws Http2Exception {
    framed();
    Leg leg = legs.get(id);
    if (leg == null) {
      requireBegun(id);
      return;
    }
    Leg other = leg.peer;
    leg.unpair();
    close(leg);
    if (other != null) {
      other.connection.cancel(other, code);
    }
  }

  @Override
  public final void onWindowUpdateRead(ChannelHandlerContext context, int id, int increment)
      throws Http2Exception {
    framed();
    if (id == 0) {
      sending.widen(increment);
      return;
    }
    Leg leg = legs.get(id);
    if (leg == null) {
      requireBegun(id);
    } else if (!sending.widen(leg, increment)) {
      abort(leg, Http2Error.FLOW_CONTROL_ERROR);
    }
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings)
      throws Http2Exception {
    control();
    Integer window = settings.initialWindowSize();
    if (window != null) {
      int change = window - peerInitialWindow;
      peerInitialWindow = window;
      for (Leg leg : legs()) {
        if (!leg.closed && !sending.widen(leg, change)) {
          throw Http2Exception.connectionError(
              Http2Error.FLOW_CONTROL_ERROR, "the initial window overflows stream %d", leg.id);
        }
      }
    }
    Long headerList = settings.maxHeaderListSize();
    if (headerList != null) {
      output.headerListLimit(headerList);
    }
    output.settingsAck();
    if (!configured) {
      configured = true;
      ready();
    }
  }

  @Override
  public final void onPingRead(ChannelHandlerContext context, long payload) throws Http2Exception {
    control();
    output.ping(payload, true);
  }

  @Override
  public final void onPingAckRead(ChannelHandlerContext context, long payload) {
    framed();
  }

  @Override
  public final void onSettingsAckRead(ChannelHandlerContext context) {
    framed();
  }

  @Override
  public final void onPriorityRead(
      ChannelHandlerContext context, int id, int dependency, short weight, boolean exclusive) {
    framed();
  }

  @Override
  public final void onUnknownFrame(
      ChannelHandlerContext context, byte type, int id, Http2Flags flags, ByteBuf payload) {
    framed();
  }

  @Override
  public final void onPushPromiseRead(
      ChannelHandlerContext context, int id, int promised, Http2Headers headers, int padding)
      throws Http2Exception {
    throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "pushes are not accepted");
  }

  // Frames that cost us an answer: more than a fixed number between two ticks are no use to
  // anybody.
  private void control() throws Http2Exception {
    framed();
    if (++controlFrames > CONTROL_FRAMES) {
      throw Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "too many control frames");
    }
  }

  /** Some time has passed: pings a peer that is silent, gives up one that stays so or gets nowhere. */
  void tick(long nowNanos) {
    controlFrames = 0;
    if (progress.stalled(nowNanos, heard, loop.settings().patience().frame().toNanos())) {
      shut(Http2Error.ENHANCE_YOUR_CALM, "a frame or a block of headers took too long");
      return;
    }
    long keepAlive = loop.settings().keepAlive().toNanos();
    if (heard) {
      heard = false;
      pinged = false;
      heardNanos = nowNanos;
    } else if (nowNanos - heardNanos > keepAlive + keepAlive / 2) {
      shut(Http2Error.NO_ERROR, "nothing was heard, nor was a ping answered");
    } else if (!pinged && nowNanos - heardNanos > keepAlive) {
      pinged = true;
      output.ping(nowNanos, false);
    }
  }

  private void requireBegun(int id) throws Http2Exception {
    if (!begun(id)) {
      throw Http2Exception.connectionError(
          Http2Error.PROTOCOL_ERROR, "a frame for stream %d, which is idle", id);
    }
  }

  final boolean isConfigured() {
    return configured;
  }

  /** The socket takes bytes again. */
  final void writable() {
    output.flush();
    sending.drain();
  }

  /** A frame of one stream was wrong; the others go on. */
  void streamViolated(int id, Http2Exception cause) throws Http2Exception {
    framed();
    Leg leg = legs.get(id);
    if (leg == null) {
      output.reset(id, cause.error().code());
    } else {
      abort(leg, cause.error());
    }
  }

  /** The peer broke the protocol: says so and closes. */
  final void violated(Http2Exception cause) {
    shut(cause.error(), String.valueOf(cause.getMessage()));
  }

  /** Closes after a GOAWAY that needs no words. */
  final void shut(Http2Error reason) {
    shut(reason, "");
  }

  /** Closes after a GOAWAY with words for whoever reads the other side's log. */
  final void shut(Http2Error reason, String why) {
    output.goAway(lastId(), reason.code(), why);
    output.close();
    lost();
  }

  /** The highest stream that the peer began here. */
  abstract int lastId();

  /** Ends all streams, once. */
  final void lost() {
    if (closed) {
      return;
    }
    closed = true;
    List<Leg> remaining = legs();
    List<Leg> others = new ArrayList<>(remaining.size());
    for (Leg leg : remaining) {
      Leg other = leg.peer;
      if (other != null) {
        others.add(other);
      }
      close(leg);
    }
    sending.clear();
    output.discard();
    abandoned(others);
  }
}
