// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import dev.sandgate.gateway.failure.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.AsciiString;
import java.util.List;

/** A connection to a node: carries streams of any clients of its loop. When it is lost, they all end with UNAVAILABLE. */
final class NodeConnection extends FrameConnection {

  private static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");

  private final NodePool pool;
  private int nextId = 1;
  private long maxStreams = Integer.MAX_VALUE;
  private boolean goingAway;

  NodeConnection(NodePool pool, Channel channel) throws Http2Exception {
    super(pool.loop(), channel, pool.loop().settings().creditBytes());
    this.pool = pool;
    output.preface();
    output.settings(
        Http2CodecUtil.SETTINGS_ENABLE_PUSH,
        0,
        Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE,
        creditLimit,
        Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE,
        FrameInput.HEADER_LIST_BYTES);
    output.windowUpdate(0, CONNECTION_WINDOW - DEFAULT_WINDOW);
  }

  /** Whether one more stream may be begun. */
  boolean hasRoom() {
    return !closed() && !goingAway && isConfigured() && nextId > 0 && streams() < maxStreams;
  }

  /** Whether it will never have room again. */
  boolean spent() {
    return closed() || goingAway || nextId < 0;
  }

  /** Begins the stream of a client's leg, as the gateway instead of the client. */
  Leg begin(Leg client, Http2Headers headers, boolean end) throws Http2Exception {
    int id = nextId;
    nextId += 2;
    Leg leg = open(id, creditLimit);
    leg.localEnded = end;
    headers.set(AUTHORIZATION, pool.bearer());
    boolean sent = false;
    try {
      output.headers(id, headers, end);
      sent = true;
    } finally {
      if (!sent) {
        close(leg);
      }
    }
    leg.pair(client);
    return leg;
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context, int id, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    framed();
    Leg leg = find(id);
    if (leg == null) {
      if (!begun(id)) {
        throw Http2Exception.connectionError(
            Http2Error.PROTOCOL_ERROR, "an answer on stream %d, which is idle", id);
      }
      return;
    }
    Leg client = leg.peer;
    if (leg.remoteEnded || client == null) {
      abort(leg, Http2Error.STREAM_CLOSED);
    } else if (end) {
      leg.remoteEnded = true;
      finishRequest(leg);
      client.connection.sending.finish(client, headers);
    } else {
      ((ClientConnection) client.connection).respond(client, headers);
    }
  }

  @Override
  void received(Leg leg, ByteBuf data, boolean end) {
    Leg client = leg.peer;
    if (end) {
      finishRequest(leg);
    }
    if (client != null) {
      client.connection.sending.send(client, data, end);
    }
  }

  // The node has answered in full. A request that still goes on is ended, not reset: nodes count
  // resets.
  private void finishRequest(Leg leg) {
    sending.drop(leg);
    if (!leg.localEnded) {
      leg.localEnded = true;
      output.data(leg.id, loop.empty(), 0, true);
    }
    close(leg);
  }

  @Override
  void sentEnd(Leg leg) {
    if (leg.remoteEnded) {
      close(leg);
    }
  }

  @Override
  void cancel(Leg leg, long code) {
    reset(leg, code);
  }

  @Override
  void broken(Leg leg, Http2Error why) {
    reset(leg, Http2Error.CANCEL.code());
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings)
      throws Http2Exception {
    Long max = settings.maxConcurrentStreams();
    if (max != null) {
      maxStreams = max;
    }
    super.onSettingsRead(context, settings);
  }

  @Override
  void ready() {
    pool.connected(this);
  }

  @Override
  public void onGoAwayRead(ChannelHandlerContext context, int last, long code, ByteBuf debug) {
    framed();
    goingAway = true;
    for (Leg leg : legs()) {
      Leg client = leg.peer;
      if (leg.id > last && client != null) {
        fail(client, unreachable().notSent());
      }
    }
    pool.retired(this);
  }

  private static void fail(Leg client, Failure failure) {
    ((ClientConnection) client.connection).fail(client, failure);
  }

  private Failure unreachable() {
    return Failure.unreachable(pool.nodeId(), pool.retryAfterMillis());
  }

  @Override
  void abandoned(List<Leg> lost) {
    pool.lost(this);
    for (Leg client : lost) {
      fail(client, unreachable());
    }
  }

  /** Closes what has no use any more, too. */
  @Override
  void tick(long nowNanos) {
    super.tick(nowNanos);
    if (spent() && streams() == 0 && !closed()) {
      shut(Http2Error.NO_ERROR);
    }
  }

  @Override
  boolean begun(int id) {
    return (id & 1) == 1 && (id < nextId || nextId < 0);
  }

  @Override
  int lastId() {
    return 0;
  }

  @Override
  public String toString() {
    return "connection to node " + pool.nodeId();
  }
}
