// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a connection receives: cuts the bytes into frames and tells the connection; keeps an incomplete frame only. */
final class FrameInput extends ChannelInboundHandlerAdapter {

  /** What a client may send as one header block, uncompressed. */
  static final int HEADER_LIST_BYTES = 16 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(FrameInput.class);
  private static final String TOO_LARGE = "Header size exceeded";
  private static final int HEADER_LIST_FATAL_BYTES = 64 << 10;

  private final FrameConnection connection;
  private final DefaultHttp2FrameReader reader;
  private int prefaceAt;
  private @Nullable ByteBuf rest;

  FrameInput(FrameConnection connection, boolean client) throws Http2Exception {
    this.connection = connection;
    DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(client, HEADER_LIST_BYTES);
    decoder.configuration().maxHeaderListSize(HEADER_LIST_BYTES, HEADER_LIST_FATAL_BYTES);
    reader = new DefaultHttp2FrameReader(decoder);
    prefaceAt = client ? 0 : FrameOutput.PREFACE.length;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      if (!connection.closed()) {
        connection.heard();
        consume(context, bytes);
      }
    } catch (Http2Exception e) {
      connection.violated(named(e));
    } catch (RuntimeException e) {
      LOG.error(
          "defect while relaying, connection to {} closed", context.channel().remoteAddress(), e);
      connection.violated(
          new Http2Exception(Http2Error.INTERNAL_ERROR, "a defect of the gateway", e));
    } finally {
      bytes.release();
    }
  }

  // Netty's own words do not say what a client may send.
  private static Http2Exception named(Http2Exception cause) {
    String said = cause.getMessage();
    return said != null && said.startsWith(TOO_LARGE)
        ? new Http2Exception(
            cause.error(),
            "the metadata of a call must be less than " + HEADER_LIST_BYTES + " bytes",
            cause)
        : cause;
  }

  private void consume(ChannelHandlerContext context, ByteBuf bytes) throws Http2Exception {
    ByteBuf kept = rest;
    if (kept == null) {
      parse(context, bytes);
      if (bytes.isReadable() && !connection.closed()) {
        rest = connection.loop.takeBuffer().writeBytes(bytes);
      }
      return;
    }
    kept.writeBytes(bytes);
    parse(context, kept);
    if (kept.isReadable()) {
      kept.discardReadBytes();
    } else {
      forget();
    }
  }

  private void parse(ChannelHandlerContext context, ByteBuf bytes) throws Http2Exception {
    if (!prefaced(bytes)) {
      return;
    }
    int before;
    do {
      before = bytes.readableBytes();
      try {
        reader.readFrame(context, bytes, connection);
      } catch (Http2Exception e) {
        if (!Http2Exception.isStreamError(e)) {
          throw e;
        }
        connection.streamViolated(Http2Exception.streamId(e), e);
      }
    } while (bytes.readableBytes() != before && bytes.isReadable() && !connection.closed());
  }

  private boolean prefaced(ByteBuf bytes) throws Http2Exception {
    while (prefaceAt < FrameOutput.PREFACE.length && bytes.isReadable()) {
      if (bytes.readByte() != FrameOutput.PREFACE[prefaceAt++]) {
        throw Http2Exception.connectionError(
            Http2Error.PROTOCOL_ERROR, "this is no HTTP/2 preface");
      }
    }
    return prefaceAt == FrameOutput.PREFACE.length;
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      connection.writable();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("connection to {} failed", context.channel().remoteAddress(), cause);
    var _ = context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    connection.lost();
    forget();
    reader.close();
  }

  private void forget() {
    ByteBuf kept = rest;
    rest = null;
    if (kept != null) {
      connection.loop.giveBuffer(kept);
    }
  }
}
