// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop's share of the relay: its client connections, its own connections to every node, its buffers and its
 * budget. Streams never leave their loop, so nothing here is locked; every method is called on the loop.
 */
final class RelayLoop {

  private static final Logger LOG = LoggerFactory.getLogger(RelayLoop.class);
  private static final int BUFFER_BYTES = 64 << 10;
  private static final int KEPT_BUFFER_BYTES = 1 << 20;
  private static final int KEPT_BUFFERS = 64;
  private static final long TICK_MILLIS = 250;
  private static final long DRAIN_MILLIS = 10;
  private static final long LINGER_MILLIS = 500;

  private final EventLoop eventLoop;
  private final Bootstrap bootstrap;
  private final RelaySettings settings;
  private final Relay.Routes routes;
  private final Ticker ticker = Ticker.systemTicker();
  private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final Map<String, NodePool> pools = new HashMap<>();
  private final NodePool own;
  private final Set<ClientConnection> clients = new LinkedHashSet<>();
  private final LinkedHashSet<Opening> openings = new LinkedHashSet<>();
  private final ArrayList<FirstMessage> incomplete = new ArrayList<>();
  private final ArrayList<FrameOutput> touched = new ArrayList<>();
  private final ArrayDeque<ByteBuf> spare = new ArrayDeque<>();
  private final Runnable flush = this::flush;
  private boolean flushing;
  private boolean closed;
  private long reserved;

  /** Connects to nothing yet, see {@link #start()}. {@code bootstrap} makes connections on this loop. */
  RelayLoop(
      EventLoop eventLoop,
      Bootstrap bootstrap,
      RelaySettings settings,
      int loops,
      Relay.Routes routes) {
    this.eventLoop = eventLoop;
    this.bootstrap = bootstrap;
    this.settings = settings;
    this.routes = routes;
    int most = Math.max(1, settings.connectionsPerNode() / loops);
    routes.nodes().forEach(node -> pools.put(node.nodeId(), pool(node, most)));
    own = pool(routes.own(), most);
  }

  private NodePool pool(NodeAddress node, int most) {
    AtomicInteger alive = routes.alive().computeIfAbsent(node.nodeId(), _ -> new AtomicInteger());
    return new NodePool(this, node, most, alive);
  }

  /** Connects to every node and begins to keep time. */
  void start() {
    own.start();
    pools.values().forEach(NodePool::start);
    after(TICK_MILLIS, this::tick);
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  RelaySettings settings() {
    return settings;
  }

  Relay.Routes routes() {
    return routes;
  }

  /** The connections to what the gateway answers itself. */
  NodePool own() {
    return own;
  }

  /** The connections to a node, or null if there is no such node. */
  @Nullable NodePool pool(String nodeId) {
    return pools.get(nodeId);
  }

  /** Relays for a client from now on. */
  void accept(Channel channel) throws Http2Exception {
    ClientConnection client = new ClientConnection(this, channel);
    clients.add(client);
    channel.pipeline().addLast(new FrameInput(client, true));
  }

  void gone(ClientConnection client) {
    clients.remove(client);
  }

  /** Streams of clients that are alive. */
  int streams() {
    int streams = 0;
    for (ClientConnection client : clients) {
      streams += client.streams();
    }
    return streams;
  }

  ChannelFuture connect(NodeAddress node) {
    return bootstrap.connect(node.host(), node.port());
  }

  void after(long millis, Runnable task) {
    var _ = eventLoop.schedule(() -> run(task), millis, TimeUnit.MILLISECONDS);
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("defect in a timed task", e);
    }
  }

  long nanoTime() {
    return ticker.nanoTime();
  }

  /** A stream that has yet to name its sandbox, for which it has limited time. */
  void awaitsRoute(Opening opening) {
    openings.add(opening);
  }

  void routed(Opening opening) {
    openings.remove(opening);
  }

  /** A stream is routed, but that much of its first message has yet to come. */
  void awaitsRest(Leg client, long missing) {
    FirstMessage first = new FirstMessage(client, missing, nanoTime());
    client.first = first;
    incomplete.add(first);
  }

  /** Has an output flushed at the end of this turn. */
  void touch(FrameOutput output) {
    touched.add(output);
    if (!flushing) {
      flushing = true;
      eventLoop.execute(flush);
    }
  }

  private void flush() {
    flushing = false;
    for (int i = 0; i < touched.size(); i++) {
      touched.get(i).flush();
    }
    touched.clear();
  }

  ByteBuf empty() {
    return Unpooled.EMPTY_BUFFER;
  }

  /** A buffer for bytes that wait. */
  ByteBuf allocate(int bytes) {
    return allocator.heapBuffer(Math.max(256, bytes));
  }

  /** A large buffer, to be given back soon. */
  ByteBuf takeBuffer() {
    ByteBuf kept = spare.pollLast();
    return kept == null ? allocator.directBuffer(BUFFER_BYTES) : kept;
  }

  void giveBuffer(ByteBuf buffer) {
    if (closed || buffer.capacity() > KEPT_BUFFER_BYTES || spare.size() >= KEPT_BUFFERS) {
      buffer.release();
    } else {
      spare.addLast(buffer.clear());
    }
  }

  /** Counts bytes that wait on this loop; false when there are too many already. */
  boolean reserve(int bytes) {
    if (reserved + bytes > settings.pendingPerLoop()) {
      return false;
    }
    reserved += bytes;
    return true;
  }

  void unreserve(int bytes) {
    reserved -= bytes;
  }

  /** Bytes that wait on this loop. */
  long reserved() {
    return reserved;
  }

  private void tick() {
    if (closed) {
      return;
    }
    long now = nanoTime();
    own.tick(now);
    pools.values().forEach(pool -> pool.tick(now));
    for (ClientConnection client : List.copyOf(clients)) {
      client.tick(now);
      if (client.drained()) {
        client.shut(Http2Error.NO_ERROR);
      }
    }
    expire(now);
    after(TICK_MILLIS, this::tick);
  }

  private void expire(long now) {
    long limit = settings.firstMessage().toNanos();
    while (!openings.isEmpty() && openings.getFirst().expired(now, limit)) {
      openings.removeFirst().expire();
    }
    incomplete.removeIf(first -> first.settled(now, limit));
  }

  /** Tells every client to go elsewhere; completes when nothing runs any more. */
  void drain(CompletableFuture<Void> drained) {
    clients.forEach(ClientConnection::drain);
    if (streams() == 0) {
      drained.complete(null);
    } else {
      after(DRAIN_MILLIS, () -> drain(drained));
    }
  }

  /**
   * Ends every stream, then every connection: once its client has left, which it does when it has read how its
   * streams ended, or has had the time to.
   */
  void close(CompletableFuture<Void> done) {
    closed = true;
    long linger = streams() > 0 ? LINGER_MILLIS : 0;
    own.close();
    pools.values().forEach(NodePool::close);
    clients.forEach(ClientConnection::drain);
    flush();
    leave(done, nanoTime() + TimeUnit.MILLISECONDS.toNanos(linger));
  }

  private void leave(CompletableFuture<Void> done, long deadlineNanos) {
    if (!clients.isEmpty() && nanoTime() < deadlineNanos) {
      after(DRAIN_MILLIS, () -> leave(done, deadlineNanos));
      return;
    }
    for (ClientConnection client : List.copyOf(clients)) {
      client.shut(Http2Error.NO_ERROR);
    }
    spare.forEach(ByteBuf::release);
    spare.clear();
    done.complete(null);
  }
}
