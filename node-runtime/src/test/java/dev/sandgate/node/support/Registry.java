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
  private final Path place;
  private final int port;

  /** Starts one in a directory of its own; it listens when this returns. */
  public Registry(Path place) throws IOException {
    this(place, "");
  }

  /** Starts one with more in its configuration. */
  public Registry(Path place, String more) throws IOException {
    this.place = Files.createDirectories(place);
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path config = place.resolve("config.yml");
    Files.writeString(
        config,
        """
        version: 0.1
        log: {level: error}
        storage: {filesystem: {rootdirectory: %s}, delete: {enabled: true}}
        http: {addr: "127.0.0.1:%d"}
        %s
        """
            .formatted(data(), port, more),
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

  /** Its files. */
  public Path data() {
    return place.resolve("data");
  }

  /** The file of a blob. */
  public Path blob(String digest) {
    String hex = digest.substring("sha256:".length());
    return data()
        .resolve("docker/registry/v2/blobs/sha256")
        .resolve(hex.substring(0, 2))
        .resolve(hex)
        .resolve("data");
  }

  /** From here on it answers nothing. */
  public void stop() {
    Programs.run("kill", "-STOP", String.valueOf(process.pid()));
  }

  /** From here on it answers again. */
  public void goOn() {
    Programs.run("kill", "-CONT", String.valueOf(process.pid()));
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
