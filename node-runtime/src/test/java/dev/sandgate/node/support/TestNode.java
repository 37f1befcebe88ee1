// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.node.Node;
import dev.sandgate.node.NodeConfig;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.config.Defaults;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.FakeHost;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A node on a fake host, with a client; can be restarted; leaves nothing behind. */
public final class TestNode implements AutoCloseable {

  /** What callers of the node must show. */
  public static final String TOKEN = "a-token-of-the-tests";

  private final String mark = UUID.randomUUID().toString();
  private final FakeHost host = new FakeHost();
  private final Vertx vertx = Vertx.vertx();
  private final Path directory;
  private final UnaryOperator<NodeConfig> change;
  private Node node;
  private Rpc rpc;

  private TestNode(UnaryOperator<NodeConfig> change) {
    this.change = change;
    this.directory = temporary();
    MemoryProvider.HOSTS.put(mark, host);
    this.node = started();
    this.rpc = new Rpc(vertx, node.port(), TOKEN);
  }

  private Node started() {
    try {
      return Node.start(vertx, config());
    } catch (RuntimeException e) {
      clear();
      throw e;
    }
  }

  /** A node with everything at its default. */
  public static TestNode start() {
    return new TestNode(config -> config);
  }

  /** A node whose configuration is changed. */
  public static TestNode start(UnaryOperator<NodeConfig> change) {
    return new TestNode(change);
  }

  /** The fake host that sandboxes live on. */
  public FakeHost host() {
    return host;
  }

  /** A client that shows the right token. */
  public Rpc rpc() {
    return rpc;
  }

  /** A client that shows another token. */
  public Rpc rpc(String token) {
    return new Rpc(vertx, node.port(), token);
  }

  /** The running node. */
  public Node node() {
    return node;
  }

  /** Where the client and the node run. */
  public Vertx vertx() {
    return vertx;
  }

  /** The node's data directory. */
  public Path directory() {
    return directory;
  }

  /** Ends the node and starts it anew on the same data. */
  public void restart() {
    stop();
    begin();
  }

  /** Ends the node. */
  public void stop() {
    rpc.close();
    node.close();
  }

  /** Starts the node after {@link #stop}. */
  public void begin() {
    node = Node.start(vertx, config());
    rpc = new Rpc(vertx, node.port(), TOKEN);
  }

  /** A request for a sandbox on the fake host. */
  public static CreateSandboxRequest.Builder request() {
    return CreateSandboxRequest.newBuilder().setSpec(spec());
  }

  /** A spec for a sandbox on the fake host. */
  public static SandboxSpec.Builder spec() {
    return SandboxSpec.newBuilder().setBackend("memory");
  }

  /** Makes a sandbox on the fake host. */
  public Sandbox create() {
    return rpc.unary(SandboxesGrpcClient.Create, request().build());
  }

  /** A configuration with other settings of the backend. */
  public static NodeConfig with(NodeConfig config, String key, String value) {
    Map<String, String> settings = new HashMap<>(config.settings());
    settings.put(key, value);
    return copy(config, config.defaults(), config.capacity(), settings);
  }

  /** A configuration with another capacity. */
  public static NodeConfig with(NodeConfig config, Capacity capacity) {
    return copy(config, config.defaults(), capacity, config.settings());
  }

  /** A configuration with other defaults. */
  public static NodeConfig with(NodeConfig config, Defaults defaults) {
    return copy(config, defaults, config.capacity(), config.settings());
  }

  @Override
  public void close() {
    stop();
    clear();
  }

  private void clear() {
    MemoryProvider.HOSTS.remove(mark);
    host.sandboxIds().forEach(id -> host.kill(id, dev.sandgate.spi.Termination.Reason.DESTROYED));
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    delete(directory);
  }

  private NodeConfig config() {
    NodeConfig config = with(NodeConfig.of("n1", directory, TOKEN), "backend.memory.host", mark);
    NodeConfig bare = with(config, "backend.container.enabled", "false");
    return change.apply(with(bare, "backend.fncall.enabled", "false"));
  }

  private static NodeConfig copy(
      NodeConfig config, Defaults defaults, Capacity capacity, Map<String, String> settings) {
    return new NodeConfig(
        config.nodeId(),
        config.host(),
        config.port(),
        config.dataDirectory(),
        Optional.empty(),
        config.token(),
        defaults,
        capacity,
        settings);
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("sandgate-node-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes a directory that a helper process may still be clearing. */
  public static void delete(Path directory) {
    Eventually.holds(directory + " is removed", () -> tryDelete(directory));
  }

  private static boolean tryDelete(Path directory) {
    try (Stream<Path> entries = Files.walk(directory)) {
      for (Path entry : (Iterable<Path>) entries.sorted(Comparator.reverseOrder())::iterator) {
        Files.deleteIfExists(entry);
      }
      return true;
    } catch (IOException | UncheckedIOException e) {
      return Files.notExists(directory);
    }
  }
}
