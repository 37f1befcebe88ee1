// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Exception.HeaderListSizeException;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.List;

/** A client's connection: begins streams, and ends them with a status whatever happens behind the gateway. */
final class ClientConnection extends FrameConnection {

  private static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");
  private static final AsciiString CALLER = AsciiString.cached("sandgate-caller");
  private static final Failure UNAUTHENTICATED =
      Failure.of(
          Code.UNAUTHENTICATED, "send a valid API key as metadata 'authorization: Bearer <key>'");
  private static final Failure METADATA_TOO_LARGE =
      Failure.of(Code.INVALID_ARGUMENT, "the metadata of a call must be less than 16 KiB");

  private int lastId;
  private boolean draining;
  private boolean authenticated;
  private final long openedNanos;

  ClientConnection(RelayLoop loop, Channel channel) throws Http2Exception {
    super(loop, channel, DEFAULT_WINDOW);
    openedNanos = loop.nanoTime();
    output.settings(
        Http2CodecUtil.SETTINGS_MAX_CONCURRENT_STREAMS,
        loop.settings().streamsPerConnection(),
        Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE,
        FrameInput.HEADER_LIST_BYTES);
    output.windowUpdate(0, CONNECTION_WINDOW - DEFAULT_WINDOW);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context, int id, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    framed();
    Leg leg = find(id);
    if (leg != null) {
      trailers(leg, end);
      return;
    }
    if ((id & 1) == 0) {
      throw Http2Exception.connectionError(
          Http2Error.PROTOCOL_ERROR, "stream %d is not a client's", id);
    }
    if (!isConfigured()) {
      throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "SETTINGS must come first");
    }
    // A lower id is that of a stream that ended here while these headers were under way.
    if (id > lastId && !draining && !closed()) {
      lastId = id;
      begin(id, headers, end);
    }
  }

  // gRPC clients send no trailers; what ends the stream does so without them.
  private void trailers(Leg leg, boolean end) throws Http2Exception {
    if (!end || leg.remoteEnded) {
      abort(leg, Http2Error.PROTOCOL_ERROR);
      return;
    }
    leg.remoteEnded = true;
    received(leg, loop.empty(), true);
  }

  private void begin(int id, Http2Headers headers, boolean end) throws Http2Exception {
    String caller = loop.routes().caller(headers.get(AUTHORIZATION));
    if (streams() >= loop.settings().streamsPerConnection()) {
      output.reset(id, Http2Error.REFUSED_STREAM.code());
    } else if (!Replies.isGrpc(headers)) {
      refuse(id, Replies.notGrpc(), end);
    } else if (caller == null) {
      refuse(id, Replies.trailersOnly(UNAUTHENTICATED), end);
    } else {
      authenticated = true;
      headers.set(CALLER, caller);
      Leg leg = open(id, DEFAULT_WINDOW);
      leg.remoteEnded = end;
      Opening.begin(this, leg, headers);
    }
  }

  /** Closes, too, who does not come to the point: connections are few and anybody can open one. */
  @Override
  void tick(long nowNanos) {
    super.tick(nowNanos);
    RelaySettings.Patience patience = loop.settings().patience();
    long age = nowNanos - openedNanos;
    if (closed()) {
      return;
    }
    if (!isConfigured() && age > patience.handshake().toNanos()) {
      shut(Http2Error.SETTINGS_TIMEOUT, "preface and SETTINGS took too long");
    } else if (!authenticated && age > patience.firstCall().toNanos()) {
      shut(Http2Error.NO_ERROR, "no call with a valid API key came in time");
    }
  }

  private void refuse(int id, Http2Headers reply, boolean ended) throws Http2Exception {
    output.headers(id, reply, true);
    if (!ended) {
      output.reset(id, Http2Error.NO_ERROR.code());
    }
  }

  @Override
  void received(Leg leg, ByteBuf data, boolean end) {
    Opening opening = leg.opening;
    if (opening != null) {
      opening.received(data);
      return;
    }
    FirstMessage first = leg.first;
    if (first != null) {
      first.arrived(data.readableBytes());
    }
    Leg node = leg.peer;
    if (node != null) {
      node.connection.sending.send(node, data, end);
    }
  }

  /** The node's response headers. */
  void respond(Leg leg, Http2Headers headers) {
    try {
      output.headers(leg.id, headers, false);
      leg.headersSent = true;
    } catch (Http2Exception e) {
      abort(leg, e.error());
    }
  }

  /** Ends a stream with a status, after what was received of the answer. */
  void fail(Leg leg, Failure failure) {
    if (leg.closed || leg.localEnded || leg.trailers != null) {
      return;
    }
    withdraw(leg);
    sending.finish(
        leg, leg.headersSent ? Replies.trailers(failure) : Replies.trailersOnly(failure));
  }

  // The node, if one was found, need not go on.
  private static void withdraw(Leg leg) {
    Opening opening = leg.opening;
    if (opening != null) {
      opening.stop();
    }
    Leg node = leg.peer;
    leg.unpair();
    if (node != null) {
      node.connection.cancel(node, Http2Error.CANCEL.code());
    }
  }

  @Override
  void sentEnd(Leg leg) {
    if (leg.remoteEnded) {
      close(leg);
    } else {
      reset(leg, Http2Error.NO_ERROR.code());
    }
  }

  @Override
  void closing(Leg leg) {
    Opening opening = leg.opening;
    if (opening != null) {
      opening.stop();
    }
  }

  @Override
  void cancel(Leg leg, long code) {
    reset(leg, code);
  }

  @Override
  void broken(Leg leg, Http2Error why) {
    boolean overrun = why == Http2Error.ENHANCE_YOUR_CALM;
    fail(
        leg,
        overrun
            ? Failure.of(Code.RESOURCE_EXHAUSTED, "too much waits for the node; try again later")
            : Failure.of(Code.INTERNAL, "the node broke the protocol: " + why));
  }

  @Override
  void abandoned(List<Leg> lost) {
    loop.gone(this);
    for (Leg node : lost) {
      node.connection.cancel(node, Http2Error.CANCEL.code());
    }
  }

  @Override
  void streamViolated(int id, Http2Exception cause) throws Http2Exception {
    boolean request = id > lastId && (id & 1) == 1;
    if (request) {
      lastId = id;
    }
    if (request && cause instanceof HeaderListSizeException) {
      refuse(id, Replies.trailersOnly(METADATA_TOO_LARGE), false);
    } else {
      super.streamViolated(id, cause);
    }
  }

  @Override
  public void onGoAwayRead(ChannelHandlerContext context, int last, long code, ByteBuf debug) {
    framed();
    drain();
  }

  /** Begins no more streams; closes when the last one ended. */
  void drain() {
    if (!draining && !closed()) {
      draining = true;
      output.goAway(lastId, Http2Error.NO_ERROR.code(), "");
    }
  }

  /** Whether {@link #drain()} has nothing left to wait for. */
  boolean drained() {
    return draining && streams() == 0;
  }

  @Override
  void ready() {}

  @Override
  boolean begun(int id) {
    return (id & 1) == 1 && id <= lastId;
  }

  @Override
  int lastId() {
    return lastId;
  }
}
