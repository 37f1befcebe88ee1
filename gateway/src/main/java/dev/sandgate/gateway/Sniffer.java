// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import dev.sandgate.gateway.http.HttpFace;
import dev.sandgate.gateway.relay.Relay;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Tells by a connection's first three bytes whether it speaks HTTP/2 or HTTP/1.1, and hands it over. */
final class Sniffer extends ByteToMessageDecoder {

  private static final byte[] HTTP_2 = "PRI".getBytes(StandardCharsets.US_ASCII);

  private final Relay relay;
  private final HttpFace http;
  private final long patienceMillis;

  Sniffer(Relay relay, HttpFace http, long patienceMillis) {
    this.relay = relay;
    this.http = http;
    this.patienceMillis = patienceMillis;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    Runnable giveUp = () -> giveUp(context);
    var _ = context.executor().schedule(giveUp, patienceMillis, TimeUnit.MILLISECONDS);
  }

  private static void giveUp(ChannelHandlerContext context) {
    if (!context.isRemoved()) {
      var _ = context.close();
    }
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Http2Exception {
    int readable = Math.min(bytes.readableBytes(), HTTP_2.length);
    for (int i = 0; i < readable; i++) {
      if (bytes.getByte(bytes.readerIndex() + i) != HTTP_2[i]) {
        http.serve(context.channel());
        context.pipeline().remove(this);
        return;
      }
    }
    if (readable == HTTP_2.length) {
      relay.accept(context.channel());
      context.pipeline().remove(this);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    var _ = context.close();
  }
}
