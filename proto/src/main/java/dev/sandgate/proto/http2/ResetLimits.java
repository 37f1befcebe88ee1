// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.proto.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.lang.reflect.Field;
import java.util.Optional;

/**
 * Takes Netty's guards against resets off a client's connection, which many calls share. They end it with all its calls at
 * the 200th reset in 30 s.
 *
 * <p>One counts those received; Vert.x 5.0.7 sets it in clients too, for which it is not meant (vert.x issue 5907): a gateway
 * that ends many streams at once, as it must when a node dies, would cost the client the connection. The other counts those
 * sent for an error (Netty 4.2.4, CVE-2025-55163), among which are the answers to every frame that comes for a stream
 * which is closed on our side: who leaves one call while much of it is on its way would lose all others.
 */
public final class ResetLimits {

  private static final System.Logger LOG = System.getLogger(ResetLimits.class.getName());
  private static final String OF_RECEIVED = "Http2MaxRstFrameDecoder";
  private static final String OF_SENT = "Http2MaxRstFrameLimitEncoder";
  private static final String MOST_SENT = "maxRstFramesPerWindow";

  private ResetLimits() {}

  /** Lifts both; once lifted, a further call does nothing. On the connection's event loop. */
  public static void lift(HttpConnection connection) {
    codec(connection)
        .ifPresent(
            codec -> {
              liftReceived(codec.decoder());
              liftSent(codec.encoder());
            });
  }

  private static Optional<Http2ConnectionHandler> codec(HttpConnection connection) {
    if (connection instanceof ConnectionBase netty) {
      ChannelHandlerContext codec =
          netty.channel().pipeline().context(Http2ConnectionHandler.class);
      if (codec != null && codec.handler() instanceof Http2ConnectionHandler handler) {
        return Optional.of(handler);
      }
    }
    return Optional.empty();
  }

  // The guard sits in the listener that the decorating decoder set; the decoder below takes the
  // bare one instead.
  private static void liftReceived(Http2ConnectionDecoder decoder) {
    if (!decoder.getClass().getSimpleName().equals(OF_RECEIVED)) {
      return;
    }
    try {
      if (field(DecoratingHttp2ConnectionDecoder.class, "delegate").get(decoder)
          instanceof Http2ConnectionDecoder guarded) {
        guarded.frameListener(decoder.frameListener());
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      warn(e);
    }
  }

  private static void liftSent(Http2ConnectionEncoder outermost) {
    try {
      Object encoder = outermost;
      while (encoder instanceof DecoratingHttp2ConnectionEncoder) {
        if (encoder.getClass().getSimpleName().equals(OF_SENT)) {
          field(encoder.getClass(), MOST_SENT).setInt(encoder, Integer.MAX_VALUE);
        }
        encoder = field(DecoratingHttp2ConnectionEncoder.class, "delegate").get(encoder);
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      warn(e);
    }
  }

  private static Field field(Class<?> of, String name) throws NoSuchFieldException {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  private static void warn(Exception why) {
    LOG.log(
        System.Logger.Level.WARNING,
        "connections end after 200 resets in 30 s: a limit cannot be lifted",
        why);
  }
}
