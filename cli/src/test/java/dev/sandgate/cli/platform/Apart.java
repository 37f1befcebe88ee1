// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import dev.sandgate.client.ClientOptions;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.Sandbox;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A gateway and a node in processes of their own, which can be killed and started again. */
final class Apart implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Path data = Files.createTempDirectory("sandgate-apart-");
  private final int gatewayPort = freePort();
  private final int nodePort = freePort();
  private Process node;
  private Process gateway;
  private final Sandgate sandgate;

  Apart() throws IOException, InterruptedException {
    node = startNode();
    Files.copy(data.resolve("node/node.token"), directory("gateway").resolve("node.token"));
    gateway = startGateway();
    String key = Files.readString(data.resolve("gateway/admin.key")).strip();
    ClientOptions options = ClientOptions.of("http://127.0.0.1:" + gatewayPort, key);
    sandgate = Sandgate.connect(options.withReconnectTimeout(LIMIT.multipliedBy(2)));
    ImportEnvironmentRequest busybox =
        ImportEnvironmentRequest.newBuilder().setName("busybox").setBuiltin("busybox").build();
    sandgate.environments().importFrom(busybox).collect().last().await().atMost(LIMIT);
  }

  private Path directory(String name) throws IOException {
    return Files.createDirectories(data.resolve(name));
  }

  /** None that the kernel may give to a connection while its server is killed and started again. */
  private static int freePort() throws IOException {
    int port = ThreadLocalRandom.current().nextInt(10_000, 32_768);
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (BindException taken) {
      return freePort();
    }
  }

  Sandgate sandgate() {
    return sandgate;
  }

  SandboxHandle box() {
    return sandgate.create("busybox");
  }

  void killGateway() throws IOException, InterruptedException {
    kill(gateway);
    gateway = startGateway();
  }

  void killNode() throws IOException, InterruptedException {
    kill(node);
    node = startNode();
  }

  private static void kill(Process process) throws IOException, InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException("the process survived SIGKILL");
    }
  }

  private Process startNode() throws IOException, InterruptedException {
    return started("node", "up", "--node-only", "--node-port", String.valueOf(nodePort));
  }

  private Process startGateway() throws IOException, InterruptedException {
    String listen = "127.0.0.1:" + gatewayPort;
    String remote = "local=127.0.0.1:" + nodePort;
    return started("gateway", "up", "--gateway-only", "--listen", listen, "--node", remote);
  }

  private Process started(String name, String... arguments)
      throws IOException, InterruptedException {
    Path log = data.resolve(name + ".log");
    Files.deleteIfExists(log);
    ProcessBuilder builder = new ProcessBuilder(Cli.words(arguments));
    builder.environment().put("SANDGATE_DATA", directory(name).toString());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    Process process = builder.start();
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!Files.readString(log).contains("is up")) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new IOException(name + " did not start: " + Files.readString(log));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    return process;
  }

  @Override
  public void close() throws IOException {
    try (sandgate) {
      List<String> left =
          sandgate
              .sandboxes()
              .list(ListSandboxesRequest.getDefaultInstance())
              .map(Sandbox::getSandboxId)
              .collect()
              .asList()
              .await()
              .atMost(LIMIT);
      left.forEach(id -> sandgate.sandboxes().delete(id).await().atMost(LIMIT));
    } finally {
      for (Process process : List.of(gateway, node)) {
        process.destroy();
        process.onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
      }
    }
    try (Stream<Path> entries = Files.walk(data)) {
      for (Path entry : new ArrayList<>(entries.sorted(Comparator.reverseOrder()).toList())) {
        Files.delete(entry);
      }
    }
  }
}
