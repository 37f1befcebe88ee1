// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Handover;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.wire.FieldWriter;
import dev.sandgate.support.wire.MalformedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.collection.IntObjectHashMap;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to an agent: cuts frames, routes them to the exchange of their channel, gathers writes into one flush
 * per read or task. State belongs to the channel's event loop; {@link #execute} and {@link #uni} get there.
 */
final class Link extends ChannelInboundHandlerAdapter {

  private static final long MAX_CHANNEL = 0xffff_ffffL;

  private final Channel transport;
  private final FrameDecoder decoder = new FrameDecoder(this::route);
  private final IntObjectHashMap<Exchange> exchanges = new IntObjectHashMap<>();
  private final CompletableFuture<String> lost = new CompletableFuture<>();
  private long nextChannel = 1;
  private boolean reading;
  private boolean flushScheduled;
  private boolean heard;
  private boolean standing;
  private @Nullable String reason;

  Link(Channel transport) {
    this.transport = transport;
  }

  /** Completes with the reason when the link broke or was closed. */
  CompletableFuture<String> lost() {
    return lost;
  }

  /** Runs a task on the event loop, at once when already there. */
  void execute(Runnable task) {
    if (transport.eventLoop().inEventLoop()) {
      task.run();
    } else {
      hop(task);
    }
  }

  private void hop(Runnable task) {
    try {
      transport.eventLoop().execute(task);
    } catch (RejectedExecutionException e) {
      task.run(); // the loop has ended and with it the link, so that no two threads change anything
    }
  }

  /** Runs a task on the event loop after a while, also when the link is lost by then. */
  @SuppressWarnings(
      "FutureReturnValueIgnored") // tasks check for themselves whether they are still needed
  void schedule(Runnable task, long millis) {
    transport.eventLoop().schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  /** A result produced on the event loop; what the body throws is its failure. */
  <T> Uni<T> uni(Consumer<UniEmitter<? super T>> body) {
    return Uni.createFrom()
        .emitter(emitter -> execute(() -> attempt(() -> body.accept(emitter), emitter::fail)));
  }

  /** The same for what must be taken back when nobody takes it. */
  <T> Uni<T> handover(Consumer<Handover<T>> body) {
    return Handover.uni(waiter -> execute(() -> attempt(() -> body.accept(waiter), waiter::fail)));
  }

  private static void attempt(Runnable body, Consumer<Throwable> failed) {
    try {
      body.run();
    } catch (RuntimeException e) {
      failed.accept(e);
    }
  }

  /**
   * Registers an exchange on a fresh channel with its first frame.
   *
   * @throws SandgateException when the link is lost, congested, or the fields make no frame
   */
  void open(Exchange exchange, int type, int flags, Consumer<FieldWriter> fields) {
    if (!transport.isActive()) {
      close("the agent's channel was closed");
    }
    requireAlive();
    if (nextChannel > MAX_CHANNEL || !transport.isWritable()) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "the agent does not take requests fast enough; retry later");
    }
    exchange.channel = (int) nextChannel;
    send(type, flags, exchange.channel, fields);
    exchanges.put(exchange.channel, exchange);
    nextChannel++;
  }

  /** Registers the exchange of channel 0. */
  void openControl(Exchange control) {
    exchanges.put(0, control);
  }

  void forget(Exchange exchange) {
    exchanges.remove(exchange.channel, exchange);
  }

  /** The command of an id, when a channel is bound to it. */
  @Nullable ExecExchange boundExec(String id) {
    for (Exchange exchange : exchanges.values()) {
      if (exchange instanceof ExecExchange exec && exec.id().equals(id)) {
        return exec;
      }
    }
    return null;
  }

  /** Whether a request is under way. */
  boolean busy() {
    return exchanges.size() > 1;
  }

  /** Whether anything arrived since the last call. */
  boolean heardSinceLastAsked() {
    boolean answer = heard;
    heard = false;
    return answer;
  }

  /** Whether the guest is known to stand still, so that it cannot answer. */
  boolean standsStill() {
    return standing;
  }

  void standStill(boolean still) {
    standing = still;
  }

  boolean isLost() {
    return reason != null;
  }

  void requireAlive() {
    if (reason != null) {
      throw lostBecause(reason);
    }
  }

  /** Queues a frame; it leaves at the end of this read or task. Dropped when the link is lost. */
  void send(int type, int flags, int channel, Consumer<FieldWriter> fields) {
    if (reason == null) {
      write(encode(transport.alloc().buffer(128), type, flags, channel, fields));
      scheduleFlush();
    }
  }

  /** Writes one frame into a buffer that it releases when the fields are refused. */
  static ByteBuf encode(
      ByteBuf out, int type, int flags, int channel, Consumer<FieldWriter> fields) {
    try {
      int start = out.writerIndex();
      out.writeInt(0).writeByte(type).writeByte(flags).writeShort(0).writeInt(channel);
      fields.accept(new FieldWriter(out));
      int length = out.writerIndex() - start - Frame.HEADER_BYTES;
      if (length > Frame.MAX_PAYLOAD_BYTES) {
        throw SandgateException.invalid(
            "request", length + " bytes, at most " + Frame.MAX_PAYLOAD_BYTES);
      }
      out.setInt(start, length);
      return out;
    } catch (IllegalArgumentException e) {
      out.release();
      throw SandgateException.invalid("request", String.valueOf(e.getMessage()));
    } catch (SandgateException e) {
      out.release();
      throw e;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    reading = true;
    heard = true;
    try {
      decoder.feed(in);
    } catch (MalformedFrameException e) {
      close("the agent broke the protocol: " + e.getMessage());
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    reading = false;
    transport.flush();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    close("the agent's channel was closed");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    close("the agent's channel broke: " + cause);
  }

  /** Ends the link for a reason; what is pending fails. Idempotent. */
  @SuppressWarnings("FutureReturnValueIgnored") // nothing is left to do when the close is done
  void close(String why) {
    if (reason == null) {
      reason = why;
      List<Exchange> pending = new ArrayList<>(exchanges.values());
      exchanges.clear();
      pending.forEach(exchange -> exchange.onLost(lostBecause(why)));
      lost.complete(why);
      transport.close();
    }
  }

  private void route(Frame frame) {
    Exchange exchange = exchanges.get(frame.channel());
    if (exchange != null) {
      exchange.onFrame(frame);
    }
  }

  @SuppressWarnings(
      "FutureReturnValueIgnored") // a failed write closes the channel, which is seen there
  private void write(ByteBuf frame) {
    transport.write(frame, transport.voidPromise());
  }

  private void scheduleFlush() {
    if (!reading && !flushScheduled) {
      flushScheduled = true;
      transport.eventLoop().execute(this::flush);
    }
  }

  private void flush() {
    flushScheduled = false;
    transport.flush();
  }

  private static SandgateException lostBecause(String why) {
    return new SandgateException(ErrorCode.SANDBOX_LOST, why);
  }
}
