// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Debian's docker-registry on a free port of the loopback. */
public final class Registry implements AutoCloseable {
  private final Process process;
  private final int port;

  /** Starts one in a directory of its own; it listens when this returns. */
  public Registry(Path place) throws IOException {
    Files.createDirectories(place);
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path config = place.resolve("config.yml");
    Files.writeString(
        config,
        """
        version: 0.1
        log: {level: error}
        storage: {filesystem: {rootdirectory: %s}}
        http: {addr: "127.0.0.1:%d"}
        """
            .formatted(place.resolve("data"), port),
        StandardCharsets.UTF_8);
    process =
        new ProcessBuilder("docker-registry", "serve", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(place.resolve("log").toFile())
            .start();
    Eventually.holds("the registry listens", this::listens);
  }

  /** Where it listens. */
  public int port() {
    return port;
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
