// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.proto.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Exception.StreamException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Keeps the fault of one HTTP/2 stream from ending its connection. Vert.x 5.0.7 writes trailers with a void
 * promise and closes the connection on whatever reaches its pipeline: a caller that resets a stream whose end
 * waits behind a closed window would end everybody's calls.
 */
public final class StreamFaults extends ChannelInboundHandlerAdapter {

  private StreamFaults() {}

  /** Contains the faults of a connection's streams; to be called when it is opened. */
  public static void contain(HttpConnection connection) {
    if (connection instanceof ConnectionBase netty) {
      netty.channel().pipeline().addFirst(new StreamFaults());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof StreamException)) {
      context.fireExceptionCaught(cause);
    }
  }
}
