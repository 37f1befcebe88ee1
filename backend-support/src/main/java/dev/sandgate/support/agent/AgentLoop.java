// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Handover;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.smallrye.mutiny.Uni;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The event loops that all agents of a backend share; owns their threads and connections. */
public final class AgentLoop implements AutoCloseable {

  private static final int CONGESTED_BYTES = 8 * 1024 * 1024;

  /** Not 0: what a last task opens is closed only by one more round. */
  private static final long QUIET_MILLIS = 20;

  private static final long MOST_MILLIS = 2_000;

  private final AgentTuning tuning;
  private final EventLoopGroup group;
  private final Bootstrap bootstrap;

  /**
   * Starts the threads.
   *
   * @param name of the threads
   * @param threads how many, at least 1
   * @param tuning for every connection
   */
  public AgentLoop(String name, int threads, AgentTuning tuning) {
    this.tuning = tuning;
    this.group =
        new MultiThreadIoEventLoopGroup(
            threads, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
    this.bootstrap =
        new Bootstrap()
            .group(group)
            .channel(EpollDomainSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .option(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(CONGESTED_BYTES / 2, CONGESTED_BYTES));
  }

  /**
   * Connects to an agent and greets it, again and again until the time is over: a guest may still be starting.
   *
   * @param socket where the agent listens
   * @param within how long to try
   * @param view what the host sees of it
   * @return the connection, owned by the caller; fails with {@code SANDBOX_LOST}. Cancelling stops trying
   */
  public Uni<AgentConnection> connect(Path socket, Duration within, GuestView view) {
    return Handover.uni(
        waiter -> {
          EventLoop loop = group.next();
          Dialing dialing = new Dialing(bootstrap.clone(loop), socket, tuning, view, waiter);
          loop.execute(() -> dialing.start(loop, within));
        });
  }

  /** Closes every connection and stops the threads within seconds; does not wait. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the threads are daemons; nobody waits for them
  public void close() {
    group.shutdownGracefully(QUIET_MILLIS, MOST_MILLIS, TimeUnit.MILLISECONDS);
  }
}
