// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.AsciiString;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Relays the streams of clients to nodes, on some of Vert.x's event loops. Thread-safe unless a method says otherwise. */
public final class Relay {

  private static final int READ_BYTES = 64 << 10;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(256 << 10, 512 << 10);

  private final Map<EventLoop, RelayLoop> loops = new LinkedHashMap<>();
  private final Routes routes;

  /**
   * Where streams may go and who may begin them.
   *
   * @param nodes by id
   * @param own what answers the methods that belong to no sandbox
   * @param methods which there are
   * @param keys the name of the key in an {@code authorization} header, or null if it opens nothing; null if there was none
   * @param alive by node id, how many connections can be used
   */
  public record Routes(
      List<NodeAddress> nodes,
      NodeAddress own,
      Methods methods,
      Function<@Nullable CharSequence, @Nullable String> keys,
      Map<String, AtomicInteger> alive) {

    /** Routes on which nothing is alive yet. */
    public static Routes of(
        List<NodeAddress> nodes,
        NodeAddress own,
        Methods methods,
        Function<@Nullable CharSequence, @Nullable String> keys) {
      return new Routes(List.copyOf(nodes), own, methods, keys, new ConcurrentHashMap<>());
    }

    /** Who calls, or null when the call may not enter. */
    @Nullable String caller(@Nullable CharSequence authorization) {
      return keys.apply(authorization);
    }

    boolean isOwn(@Nullable CharSequence path) {
      return path != null && methods.own().contains(AsciiString.of(path));
    }

    boolean isOfSandboxes(@Nullable CharSequence path) {
      return path != null && methods.ofSandboxes().contains(AsciiString.of(path));
    }
  }

  /**
   * The methods that there are, by path.
   *
   * @param own what belongs to no sandbox: the gateway answers
   * @param ofSandboxes what the node of a sandbox answers
   */
  public record Methods(Set<AsciiString> own, Set<AsciiString> ofSandboxes) {

    /** Takes copies. */
    public Methods {
      own = Set.copyOf(own);
      ofSandboxes = Set.copyOf(ofSandboxes);
    }
  }

  /** A relay on these loops; connects to every node at once. */
  public Relay(VertxInternal vertx, List<EventLoop> on, RelaySettings settings, Routes routes) {
    this.routes = routes;
    for (EventLoop loop : on) {
      Bootstrap bootstrap = bootstrap(vertx, loop, settings);
      loops.put(loop, new RelayLoop(loop, bootstrap, settings, on.size(), routes));
    }
    loops.values().forEach(loop -> loop.eventLoop().execute(loop::start));
  }

  private static Bootstrap bootstrap(VertxInternal vertx, EventLoop loop, RelaySettings settings) {
    int timeoutMillis = Math.toIntExact(settings.connect().toMillis());
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channelFactory(vertx.transport().channelFactory(false))
            .resolver(vertx.nameResolver().nettyAddressResolverGroup())
            .handler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public boolean isSharable() {
                    return true;
                  }
                })
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis);
    options().forEach((option, value) -> bootstrap.option(option, value));
    return bootstrap;
  }

  /** How sockets that the relay reads and writes are set up. */
  @SuppressWarnings("deprecation") // the only way to give it to a bootstrap
  public static Map<ChannelOption<Object>, Object> options() {
    return Map.of(
        option(ChannelOption.ALLOCATOR),
        PooledByteBufAllocator.DEFAULT,
        option(ChannelOption.TCP_NODELAY),
        true,
        option(ChannelOption.SO_KEEPALIVE),
        true,
        option(ChannelOption.WRITE_BUFFER_WATER_MARK),
        WATER_MARK,
        option(ChannelOption.RCVBUF_ALLOCATOR),
        new FixedRecvByteBufAllocator(READ_BYTES));
  }

  @SuppressWarnings("unchecked")
  private static <T> ChannelOption<Object> option(ChannelOption<T> option) {
    return (ChannelOption<Object>) option;
  }

  /** The loops it runs on. */
  public Set<EventLoop> eventLoops() {
    return loops.keySet();
  }

  /** Serves a client that speaks HTTP/2 from its first byte on; called on the channel's loop, one of this relay's. */
  public void accept(Channel channel) throws Http2Exception {
    RelayLoop loop = loops.get(channel.eventLoop());
    if (loop == null) {
      throw new IllegalArgumentException("the channel's loop is none of this relay's");
    }
    loop.accept(channel);
  }

  /** Whether some loop has a usable connection to a node. */
  public boolean reachable(String nodeId) {
    AtomicInteger alive = routes.alive().get(nodeId);
    return alive != null && alive.get() > 0;
  }

  /** Tells clients to begin no more streams here; completes when those that run have ended. */
  public CompletableFuture<Void> drain() {
    return onEveryLoop(RelayLoop::drain);
  }

  /** Ends every stream with UNAVAILABLE and closes every connection. */
  public CompletableFuture<Void> close() {
    return onEveryLoop(RelayLoop::close);
  }

  private CompletableFuture<Void> onEveryLoop(
      BiConsumer<RelayLoop, CompletableFuture<Void>> action) {
    List<CompletableFuture<Void>> shares = new ArrayList<>();
    for (RelayLoop loop : loops.values()) {
      CompletableFuture<Void> share = new CompletableFuture<>();
      loop.eventLoop().execute(() -> action.accept(loop, share));
      shares.add(share);
    }
    return CompletableFuture.allOf(shares.toArray(CompletableFuture[]::new));
  }
}
