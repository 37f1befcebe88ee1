// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.tool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** TCP ports of this machine's loopback. */
public final class Ports {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private Ports() {}

  /** A port that nobody listens on. */
  public static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Waits until somebody accepts connections, as long as it lives. */
  public static void awaitListening(int port, BooleanSupplier alive) throws IOException {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!accepts(port)) {
      if (System.nanoTime() > deadline || !alive.getAsBoolean()) {
        throw new IOException("nobody listens on port " + port);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }
}
