// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one loop to one node. It keeps one alive, with a growing pause between attempts, and makes more
 * while those it has are busy. Streams wait for a connection that is being made, and fail at once during a pause.
 */
final class NodePool {

  private static final Logger LOG = LoggerFactory.getLogger(NodePool.class);
  private static final int BUSY_STREAMS = 64;
  private static final int MAX_WAITING = 10_000;
  private static final long LEAST_PAUSE_MILLIS = 50;
  private static final long MOST_PAUSE_MILLIS = 1_000;

  private final RelayLoop loop;
  private final NodeAddress node;
  private final int most;
  private final AtomicInteger alive;
  private final String bearer;
  private final List<NodeConnection> connections = new ArrayList<>();

  /** Those that only finish what they carry. */
  private final List<NodeConnection> leaving = new ArrayList<>();

  private final ArrayDeque<Opening> waiting = new ArrayDeque<>();
  private int connecting;
  private int failures;
  private long pausedUntilNanos;
  private long connectedNanos;
  private boolean pausing;
  private boolean closed;

  /** The last connection left as agreed, so that the next one is no news. */
  private boolean expected;

  /** {@code alive} counts the usable connections of all loops. */
  NodePool(RelayLoop loop, NodeAddress node, int most, AtomicInteger alive) {
    this.loop = loop;
    this.node = node;
    this.most = most;
    this.alive = alive;
    bearer = "Bearer " + node.token();
  }

  RelayLoop loop() {
    return loop;
  }

  String nodeId() {
    return node.nodeId();
  }

  String bearer() {
    return bearer;
  }

  /** Carries a stream to the node, now or when a connection is ready, or fails it. */
  void open(Opening opening) {
    NodeConnection least = leastBusy();
    if (least != null) {
      opening.start(least);
      if (least.streams() > BUSY_STREAMS) {
        grow();
      }
    } else if (!grow()) {
      opening.fail(refusal());
    } else if (waiting.size() < MAX_WAITING) {
      waiting.add(opening);
    } else {
      opening.fail(Failure.of(Code.RESOURCE_EXHAUSTED, "too many calls wait for node " + nodeId()));
    }
  }

  private Failure refusal() {
    return connections.isEmpty()
        ? Failure.unreachable(nodeId(), retryAfterMillis()).notSent()
        : Failure.of(
                Code.RESOURCE_EXHAUSTED,
                "node " + nodeId() + " takes no more streams; try again later")
            .node(nodeId())
            .retryAfterMillis(MOST_PAUSE_MILLIS);
  }

  private @Nullable NodeConnection leastBusy() {
    NodeConnection least = null;
    for (int i = 0; i < connections.size(); i++) {
      NodeConnection connection = connections.get(i);
      if (connection.hasRoom() && (least == null || connection.streams() < least.streams())) {
        least = connection;
      }
    }
    return least;
  }

  /** Makes one more connection unless one is being made; false when there is none to wait for. */
  private boolean grow() {
    if (connecting > 0) {
      return true;
    }
    if (closed || pausing || connections.size() >= most) {
      return false;
    }
    connecting++;
    ChannelFuture attempt = loop.connect(node);
    attempt.addListener(_ -> attempted(attempt));
    return true;
  }

  private void attempted(ChannelFuture attempt) {
    Channel channel = attempt.channel();
    if (!attempt.isSuccess() || closed) {
      var _ = channel.close();
      failed(String.valueOf(attempt.cause()));
      return;
    }
    try {
      NodeConnection connection = new NodeConnection(this, channel);
      connections.add(connection);
      channel.pipeline().addLast(new FrameInput(connection, false));
      loop.after(loop.settings().connect().toMillis(), () -> expectReady(connection));
    } catch (Http2Exception e) {
      var _ = channel.close();
      failed(e.toString());
    }
  }

  private static void expectReady(NodeConnection connection) {
    if (!connection.isConfigured()) {
      connection.shut(Http2Error.SETTINGS_TIMEOUT);
    }
  }

  /** A connection is ready. */
  void connected(NodeConnection connection) {
    connecting--;
    failures = 0;
    connectedNanos = loop.nanoTime();
    if (alive.getAndIncrement() == 0 && !expected) {
      LOG.info("node {} is reachable", node);
    }
    expected = false;
    serveWaiting();
  }

  private void serveWaiting() {
    for (int left = waiting.size(); left > 0; left--) {
      Opening opening = waiting.remove();
      if (!opening.stopped()) {
        open(opening);
      }
    }
  }

  /** A connection takes no more streams. */
  void retired(NodeConnection connection) {
    if (connection.isConfigured() && connections.remove(connection)) {
      leaving.add(connection);
      expected = true; // nodes end connections that carried nothing for a while
      left();
    }
  }

  /** A connection is gone. */
  void lost(NodeConnection connection) {
    leaving.remove(connection);
    if (!connections.remove(connection)) {
      return;
    }
    if (connection.isConfigured()) {
      if (!closed) {
        LOG.warn("node {} closed a connection", node);
      }
      left();
    } else {
      failed("the connection did not become ready");
    }
  }

  private void left() {
    alive.decrementAndGet();
    if (loop.nanoTime() - connectedNanos > TimeUnit.MILLISECONDS.toNanos(MOST_PAUSE_MILLIS)) {
      start();
    } else if (connections.isEmpty()) {
      pause();
    }
  }

  private void failed(String why) {
    connecting--;
    expected = false;
    if (failures == 0 && !closed) {
      LOG.warn("node {} is unreachable: {}", node, why);
    }
    pause();
    serveWaiting();
  }

  private void pause() {
    if (closed || pausing) {
      return;
    }
    long most = Math.min(MOST_PAUSE_MILLIS, LEAST_PAUSE_MILLIS << Math.min(failures, 10));
    long millis = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    failures++;
    pausing = true;
    pausedUntilNanos = loop.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    loop.after(millis, this::resume);
  }

  private void resume() {
    pausing = false;
    start();
  }

  /** Makes the first connection, unless there is one. */
  void start() {
    if (connections.isEmpty()) {
      grow();
    }
  }

  /** When the next attempt is due, at least 1. */
  long retryAfterMillis() {
    long left = TimeUnit.NANOSECONDS.toMillis(pausedUntilNanos - loop.nanoTime());
    return Math.max(1, pausing ? left : LEAST_PAUSE_MILLIS);
  }

  void tick(long nowNanos) {
    for (NodeConnection connection : all()) {
      connection.tick(nowNanos);
    }
  }

  void close() {
    closed = true;
    for (NodeConnection connection : all()) {
      connection.shut(Http2Error.NO_ERROR);
    }
  }

  private List<NodeConnection> all() {
    List<NodeConnection> all = new ArrayList<>(connections);
    all.addAll(leaving);
    return all;
  }
}
