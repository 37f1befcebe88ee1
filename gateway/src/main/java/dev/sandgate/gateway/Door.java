// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import dev.sandgate.gateway.relay.Relay;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.vertx.core.internal.VertxInternal;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections and gives them to the loops in turn. */
final class Door extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(Door.class);
  private static final int BACKLOG = 1_024;
  private static final long PAUSE_MILLIS = 1_000;
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final List<Map.Entry<EventLoop, Supplier<ChannelHandler>>> loops;
  private final int most;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private int turn;
  private long refused;
  private long toldNanos = System.nanoTime() - QUIET_NANOS;

  /** Loops with what makes the handler that a connection meets first; {@code most} connections may be open at once. */
  Door(Map<EventLoop, Supplier<ChannelHandler>> loops, int most) {
    this.loops = List.copyOf(loops.entrySet());
    this.most = most;
  }

  /** Listens; blocks until it does, or throws what prevents it. */
  Channel listen(VertxInternal vertx, InetSocketAddress address) {
    Channel listener = vertx.transport().serverChannelFactory(false).newChannel();
    listener.config().setOption(ChannelOption.SO_REUSEADDR, true);
    listener.config().setOption(ChannelOption.SO_BACKLOG, BACKLOG);
    listener.pipeline().addLast(this);
    vertx.acceptorEventLoopGroup().register(listener).syncUninterruptibly();
    boolean bound = false;
    try {
      listener.bind(address).syncUninterruptibly();
      bound = true;
      return listener;
    } finally {
      if (!bound) {
        listener.close().syncUninterruptibly();
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel child = (Channel) message;
    if (open.size() >= most) {
      refuse(child);
      return;
    }
    open.add(child);
    Relay.options().forEach((option, value) -> child.config().setOption(option, value));
    turn = (turn + 1) % loops.size();
    Map.Entry<EventLoop, Supplier<ChannelHandler>> loop = loops.get(turn);
    child.pipeline().addLast(loop.getValue().get());
    loop.getKey()
        .register(child)
        .addListener(
            registered -> {
              if (!registered.isSuccess()) {
                child.unsafe().closeForcibly();
              }
            });
  }

  // Says so now and then only: whoever floods it must not fill the log too.
  private void refuse(Channel child) {
    child.unsafe().closeForcibly();
    refused++;
    long now = System.nanoTime();
    if (now - toldNanos >= QUIET_NANOS) {
      LOG.warn(
          "the limit of {} connections (limits.connections) is reached, {} refused since last told",
          most,
          refused);
      toldNanos = now;
      refused = 0;
    }
  }

  // Most likely out of descriptors: accepting again at once would fail again.
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.warn("cannot accept connections, pausing", cause);
    Channel listener = context.channel();
    listener.config().setAutoRead(false);
    Runnable goOn = () -> listener.config().setAutoRead(true);
    var _ = context.executor().schedule(goOn, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Closes every connection; blocks until they are. */
  void closeConnections() {
    open.close().syncUninterruptibly();
  }
}
