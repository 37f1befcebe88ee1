// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Handover;
import dev.sandgate.spi.SandgateException;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The attempts to reach one agent, until it greets, time is over, or nobody waits. One event loop only. */
final class Dialing {

  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 100;

  private final Bootstrap bootstrap;
  private final Path socket;
  private final AgentTuning tuning;
  private final GuestView view;
  private final Handover<AgentConnection> waiter;
  private @Nullable Link link;
  private String lastFailure = "no attempt ended in time";
  private long pause = FIRST_PAUSE_MILLIS;
  private boolean over;

  Dialing(
      Bootstrap bootstrap,
      Path socket,
      AgentTuning tuning,
      GuestView view,
      Handover<AgentConnection> waiter) {
    this.bootstrap = bootstrap;
    this.socket = socket;
    this.tuning = tuning;
    this.view = view;
    this.waiter = waiter;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a timer that comes late finds it over
  void start(EventLoop loop, Duration within) {
    waiter.onCancelled(() -> loop.execute(this::stop));
    attempt(loop);
    loop.schedule(this::giveUp, within.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void stop() {
    if (!over) {
      over = true;
      hangUp("nobody waits for the connection");
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the listener is what sees the outcome
  private void attempt(EventLoop loop) {
    if (!over) {
      link = null;
      bootstrap
          .clone()
          .handler(new LinkMaker())
          .connect(new DomainSocketAddress(socket.toFile()))
          .addListener(done -> connected(loop, (ChannelFuture) done));
    }
  }

  /** Puts a link on every new channel. */
  private final class LinkMaker extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      link = new Link(channel);
      channel.pipeline().addLast(link);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it cannot fail
  private void connected(EventLoop loop, ChannelFuture attempt) {
    Link fresh = link;
    if (!attempt.isSuccess() || fresh == null) {
      retry(loop, String.valueOf(attempt.cause()));
    } else if (over) {
      fresh.close("nobody waits for the connection");
    } else {
      fresh.lost().thenAccept(why -> retry(loop, why));
      new Greeting(fresh, greeting -> welcomed(fresh, greeting)).hello();
    }
  }

  private void welcomed(Link fresh, Greeting greeting) {
    over = true;
    new HealthProbe(fresh, tuning, view).start();
    if (!waiter.complete(new AgentConnection(fresh, greeting, new OomWatch(view)))) {
      fresh.close("nobody waits for the connection");
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // an attempt that comes late finds it over
  private void retry(EventLoop loop, String why) {
    if (!over) {
      lastFailure = why;
      loop.schedule(() -> attempt(loop), pause, TimeUnit.MILLISECONDS);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
    }
  }

  private void giveUp() {
    if (!over) {
      over = true;
      hangUp("the agent did not greet in time");
      waiter.fail(
          new SandgateException(
              ErrorCode.SANDBOX_LOST, "no agent at " + socket + ": " + lastFailure));
    }
  }

  private void hangUp(String why) {
    if (link != null) {
      link.close(why);
    }
  }
}
