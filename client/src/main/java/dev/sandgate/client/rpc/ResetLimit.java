// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.lang.reflect.Field;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a server's guard off a client's connection. Vert.x 5.0.7 builds a client's HTTP/2 codec with Netty's limit of
 * 200 received resets in 30 s, meant for servers only (vert.x issue 5907, fixed after 5.0.7): a gateway that ends
 * many streams at once, as it must when a node dies, would cost the client the connection and every other call on it.
 */
final class ResetLimit {

  private static final Logger LOG = LoggerFactory.getLogger(ResetLimit.class);
  private static final String GUARD = "Http2MaxRstFrameDecoder";

  private ResetLimit() {}

  /** Lifts it; once lifted, a further call does nothing. On the connection's event loop. */
  static void lift(HttpConnection connection) {
    if (connection instanceof ConnectionBase netty) {
      ChannelPipeline pipeline = netty.channel().pipeline();
      ChannelHandlerContext codec = pipeline.context(Http2ConnectionHandler.class);
      if (codec != null && codec.handler() instanceof Http2ConnectionHandler handler) {
        lift(handler.decoder());
      }
    }
  }

  // The guard sits in the listener that the decorating decoder set; the decoder below takes the
  // bare one instead.
  private static void lift(Http2ConnectionDecoder decoder) {
    if (!decoder.getClass().getSimpleName().equals(GUARD)) {
      return;
    }
    try {
      Field delegate = DecoratingHttp2ConnectionDecoder.class.getDeclaredField("delegate");
      delegate.setAccessible(true);
      if (delegate.get(decoder) instanceof Http2ConnectionDecoder guarded) {
        guarded.frameListener(decoder.frameListener());
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.warn("connections end after 200 resets in 30 s: the limit cannot be lifted", e);
    }
  }
}
