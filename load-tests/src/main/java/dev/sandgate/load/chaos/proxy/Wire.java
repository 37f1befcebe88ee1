// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.proxy;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection through the proxy: two sockets and a lane each way. */
final class Wire {

  private static final Logger LOG = LoggerFactory.getLogger(Wire.class);

  private final Socket client;
  private final Socket server;
  private final Lane up;
  private final Lane down;
  private final Consumer<Wire> over;
  private final AtomicInteger running = new AtomicInteger(2);

  Wire(Socket client, Socket server, Supplier<Shape> shape, Consumer<Wire> over) {
    this.client = client;
    this.server = server;
    this.over = over;
    up = new Lane(client, server, shape);
    down = new Lane(server, client, shape);
  }

  /** Carries both ways, each on a thread of its own. */
  void start() {
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    } catch (IOException e) {
      LOG.debug("a connection broke before it began", e);
    }
    Thread.ofVirtual().name("proxy-up").start(() -> carry(up, server));
    Thread.ofVirtual().name("proxy-down").start(() -> carry(down, client));
  }

  private void carry(Lane lane, Socket to) {
    try {
      end(lane, lane.run(), to);
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      if (!swallows()) {
        reset();
      }
    } finally {
      if (running.decrementAndGet() == 0) {
        reset();
      }
    }
  }

  private void end(Lane lane, Lane.End end, Socket to) throws IOException {
    switch (end) {
      case SOURCE_ENDED -> {
        if (!lane.swallows()) {
          to.shutdownOutput();
        }
      }
      case USED_UP -> reset();
    }
  }

  /** Bytes of a way are dropped from now on; neither side is told of the other's end. */
  void swallow(Way way) {
    if (way.includes(Way.UP)) {
      up.swallow();
    }
    if (way.includes(Way.DOWN)) {
      down.swallow();
    }
  }

  private boolean swallows() {
    return up.swallows() || down.swallows();
  }

  /** Resets both sides after so many more bytes of a way, 0 for now. */
  void cutAfter(Way way, int bytes) {
    if (bytes == 0) {
      reset();
      return;
    }
    if (way.includes(Way.UP)) {
      up.allow(bytes);
    }
    if (way.includes(Way.DOWN)) {
      down.allow(bytes);
    }
  }

  /** Tells both sides that nothing follows; what they still send is answered by a reset. */
  void finish() {
    try {
      client.shutdownOutput();
      server.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("a side was closed already", e);
      reset();
    }
  }

  /** Resets both sides. */
  void reset() {
    reset(client);
    reset(server);
    over.accept(this);
  }

  static void reset(Socket socket) {
    try {
      if (!socket.isClosed()) {
        socket.setSoLinger(true, 0);
      }
    } catch (IOException e) {
      LOG.debug("a connection was closed already", e);
    }
    close(socket);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("a connection could not be closed", e);
    }
  }
}
