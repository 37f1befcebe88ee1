// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import dev.sandgate.gateway.relay.NodeAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What takes connections and says nothing on them: nothing at all, or nothing after its HTTP/2 settings. */
public final class MuteNode implements AutoCloseable {

  private static final byte[] SETTINGS = {0, 0, 0, RawPeer.SETTINGS, 0, 0, 0, 0, 0};

  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ServerSocket server;
  private final String id;
  private final boolean greets;

  private MuteNode(String id, boolean greets) {
    this.id = id;
    this.greets = greets;
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  /** Says nothing, not even its settings. */
  public static MuteNode silent(String id) {
    return new MuteNode(id, false);
  }

  /** Sends its settings and then nothing more. */
  public static MuteNode greeting(String id) {
    return new MuteNode(id, true);
  }

  /** Where it is. */
  public NodeAddress address() {
    return new NodeAddress(id, "127.0.0.1", server.getLocalPort(), TestGateway.TOKEN);
  }

  /** Connections that the other side has not closed. */
  public int open() {
    return open.size();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        open.add(socket);
        if (server.isClosed()) { // and whoever closed it may not have seen this one
          socket.close();
        }
        Thread.ofVirtual().start(() -> swallow(socket));
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void swallow(Socket socket) {
    try (socket) {
      if (greets) {
        socket.getOutputStream().write(SETTINGS);
      }
      InputStream in = socket.getInputStream();
      in.transferTo(java.io.OutputStream.nullOutputStream());
    } catch (IOException reset) {
      assert reset instanceof java.net.SocketException : reset;
    } finally {
      open.remove(socket);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
