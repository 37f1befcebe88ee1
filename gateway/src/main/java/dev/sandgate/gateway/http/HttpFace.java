// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.ThreadingModel;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerImpl;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.VertxWrapper;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.NetServerInternal;
import io.vertx.core.net.impl.NetSocketImpl;
import io.vertx.core.net.impl.VertxHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A Vert.x HTTP/1.1 server without a port of its own: it serves channels of one event loop that somebody else accepted.
 * Vert.x has no public way to do this, so it is given a net server that never listens, whose connections we make.
 */
public final class HttpFace {

  private static final int MAX_HEADER_BYTES = 16 << 10;

  private final ContextInternal context;
  private final Detached connections;
  private final Duration idle;

  private HttpFace(VertxInternal vertx, ContextInternal context, Duration idle) {
    connections = new Detached(vertx);
    this.context = context;
    this.idle = idle;
  }

  /** Makes the server of one event loop; the handler runs there. */
  public static Future<HttpFace> on(
      VertxInternal vertx, EventLoop loop, Duration idle, Handler<HttpServerRequest> handler) {
    ContextInternal context =
        vertx
            .contextBuilder()
            .withThreadingModel(ThreadingModel.EVENT_LOOP)
            .withEventLoop(loop)
            .build();
    HttpFace face = new HttpFace(vertx, context, idle);
    VertxInternal detached =
        new VertxWrapper(vertx) {
          @Override
          public NetServerInternal createNetServer(NetServerOptions options) {
            return face.connections;
          }
        };
    HttpServerImpl server = new HttpServerImpl(detached, options(idle));
    server.requestHandler(handler);
    return Future.future(
        promise ->
            context.runOnContext(
                _ ->
                    server
                        .listen(SocketAddress.inetSocketAddress(1, "localhost"))
                        .map(face)
                        .onComplete(promise)));
  }

  private static HttpServerOptions options(Duration idle) {
    return new HttpServerOptions()
        .setCompressionSupported(false)
        .setDecompressionSupported(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setHttp2ClearTextEnabled(false)
        .setMaxHeaderSize(MAX_HEADER_BYTES)
        .setIdleTimeout(Math.toIntExact(idle.toMillis()))
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
  }

  /** Serves a channel of this face's loop; called there, before the channel's first bytes are passed on. */
  public void serve(Channel channel) {
    VertxHandler<NetSocketImpl> handler =
        VertxHandler.create(socket -> new NetSocketImpl(context, socket, null, null, null, false));
    handler.addHandler(socket -> context.emit(socket, connections.connectHandler()));
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.addLast("idle", new IdleStateHandler(0, 0, idle.toMillis(), TimeUnit.MILLISECONDS));
    pipeline.addLast("handler", handler);
  }
}
