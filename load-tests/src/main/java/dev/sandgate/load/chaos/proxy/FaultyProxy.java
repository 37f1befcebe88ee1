// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP proxy on loopback that can be told to break what passes. Thread-safe. Closing resets everything.
 */
public final class FaultyProxy implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(FaultyProxy.class);

  private final ServerSocket listener;
  private final int upstream;
  private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
  private final AtomicLong accepted = new AtomicLong();
  private volatile Weather weather = new Weather(Shape.CLEAR, System.nanoTime());

  private record Weather(Shape shape, long untilNanos) {}

  private FaultyProxy(ServerSocket listener, int upstream) {
    this.listener = listener;
    this.upstream = upstream;
  }

  /** Listens on a free port for what is to go to another one, which may be deaf now and then. */
  public static FaultyProxy before(int upstream) throws IOException {
    ServerSocket listener = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
    FaultyProxy proxy = new FaultyProxy(listener, upstream);
    Thread.ofVirtual().name("proxy-accept").start(proxy::accept);
    return proxy;
  }

  /** Where it listens. */
  public int port() {
    return listener.getLocalPort();
  }

  /** How many connections came so far. */
  public long accepted() {
    return accepted.get();
  }

  /** How many connections are open. */
  public int open() {
    return wires.size();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        accepted.incrementAndGet();
        Thread.ofVirtual().name("proxy-connect").start(() -> connect(client));
      } catch (SocketException closed) {
        LOG.debug("the proxy listens no more", closed);
      } catch (IOException e) {
        LOG.warn("a connection could not be accepted", e);
      }
    }
  }

  private void connect(Socket client) {
    if (shape().refusing()) {
      Wire.reset(client);
      return;
    }
    try {
      join(client, new Socket(InetAddress.getLoopbackAddress(), upstream));
    } catch (IOException deaf) {
      LOG.debug("nobody listens on port {}", upstream, deaf);
      Wire.reset(client);
    }
  }

  private void join(Socket client, Socket server) {
    Wire wire = new Wire(client, server, this::shape, wires::remove);
    wires.add(wire);
    wire.start();
    if (listener.isClosed()) {
      wire.reset();
    }
  }

  private Shape shape() {
    Weather now = weather;
    return System.nanoTime() < now.untilNanos() ? now.shape() : Shape.CLEAR;
  }

  /** Lets bytes pass so for a while; ends what was told before. */
  public void shape(Shape shape, Duration length) {
    weather = new Weather(shape, System.nanoTime() + length.toNanos());
  }

  /** Lets bytes pass as they come. */
  public void clear() {
    shape(Shape.CLEAR, Duration.ZERO);
  }

  /** Resets connections after so many more bytes of a way, 0 for now; gives how many. */
  public int cut(IntPredicate which, Way way, int bytes) {
    List<Wire> struck = struck(which);
    struck.forEach(wire -> wire.cutAfter(way, bytes));
    return struck.size();
  }

  /** Ends connections in order; gives how many. */
  public int finish(IntPredicate which) {
    List<Wire> struck = struck(which);
    struck.forEach(Wire::finish);
    return struck.size();
  }

  /**
   * Drops what comes on the connections that are open now, for ever, and keeps them open: whoever waits on them hears
   * nothing. New connections work.
   *
   * @return how many
   */
  public int swallow(IntPredicate which, Way way) {
    List<Wire> struck = struck(which);
    struck.forEach(wire -> wire.swallow(way));
    return struck.size();
  }

  private List<Wire> struck(IntPredicate which) {
    List<Wire> all = List.copyOf(wires);
    return IntStream.range(0, all.size()).filter(which).mapToObj(all::get).toList();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    List.copyOf(wires).forEach(Wire::reset);
  }
}
