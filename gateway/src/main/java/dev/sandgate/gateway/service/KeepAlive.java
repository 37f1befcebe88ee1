// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Pings a node that says nothing for a while, and gives up the connection when it says nothing for as long again: on a
 * connection that is half open nobody would ever tell. Any byte counts as an answer.
 */
final class KeepAlive extends IdleStateHandler {

  private static final int PING_BYTES = 8;

  private final HttpConnection connection;

  private KeepAlive(HttpConnection connection, Duration silence) {
    super(silence.toMillis(), 0, 0, TimeUnit.MILLISECONDS);
    this.connection = connection;
  }

  /** Watches a connection; once watched, a further call does nothing. */
  static void watch(HttpConnection connection, Duration silence) {
    if (connection instanceof ConnectionBase netty) {
      netty
          .channel()
          .eventLoop()
          .execute(() -> add(netty.channel().pipeline(), connection, silence));
    }
  }

  private static void add(ChannelPipeline pipeline, HttpConnection connection, Duration silence) {
    if (pipeline.get(KeepAlive.class) == null) {
      pipeline.addFirst(new KeepAlive(connection, silence));
    }
  }

  @Override
  protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
    if (event.isFirst()) {
      connection.ping(Buffer.buffer(new byte[PING_BYTES]));
    } else {
      var _ = context.close();
    }
  }
}
