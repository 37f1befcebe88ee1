// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.tool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** TCP ports of this machine's loopback. */
public final class Ports {

  private static final int LOWEST = 10_000;
  private static final int EPHEMERAL = 32_768;
  private static final int TRIES = 100;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private Ports() {}

  /**
   * A port that nobody listens on. It is none of those that the kernel gives to connections (32768 to 60999), one of
   * which could have it while a server that was killed is started again.
   */
  public static int free() throws IOException {
    IOException taken = new IOException("no port is free");
    for (int tries = 0; tries < TRIES; tries++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, EPHEMERAL);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        taken = e;
      }
    }
    throw taken;
  }

  /** Waits until somebody accepts connections, as long as it lives. */
  public static void awaitListening(int port, BooleanSupplier alive) throws IOException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (!accepts(port)) {
      boolean ended = !alive.getAsBoolean();
      if (ended || System.nanoTime() > deadline) {
        String why = ended ? ": its process has ended" : ", after " + DEADLINE.toSeconds() + " s";
        throw new IOException("nobody listens on port " + port + why);
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
