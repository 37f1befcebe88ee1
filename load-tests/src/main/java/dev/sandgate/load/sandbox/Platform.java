// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.server.HostPort;
import dev.sandgate.cli.server.Server;
import dev.sandgate.cli.server.ServerConfig;
import dev.sandgate.client.BatchItem;
import dev.sandgate.client.ClientOptions;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.load.host.Scratch;
import dev.sandgate.load.tool.Owned;
import dev.sandgate.load.tool.Tools;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxPool;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A node of its own in this process, with its data, cgroups and spawner in places of their own, and a client on the
 * node's API. Closing removes all of it.
 */
public final class Platform implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final int AT_ONCE = 16;
  private static final long POOL_BYTES = 8L << 30;

  private final Owned owned;
  private final Scratch scratch;
  private final Sandgate client;
  private final LayerStack stack;
  private final Address address;

  private Platform(Owned owned, Scratch scratch, Sandgate client, Address address)
      throws IOException {
    this.owned = owned;
    this.scratch = scratch;
    this.client = client;
    this.address = address;
    this.stack = new LayerStack(client, scratch.directory().resolve("layers"));
  }

  /** Where clients find the node. */
  private record Address(String uri, String token) {}

  /** Starts it; the layers are built on the way. */
  public static Platform start() throws IOException {
    return start(Map.of());
  }

  /** Starts it with so many blanks made ahead; the layers are built on the way. */
  static Platform startPooled(int blanks) throws IOException {
    String count = Integer.toString(blanks);
    return start(
        Map.of(
            "backend.container.pool.min", count,
            "backend.container.pool.max", count,
            "backend.container.pool.memory-bytes", Long.toString(POOL_BYTES)));
  }

  /** What its pool did and has. */
  SandboxPool pool() {
    return await(client.nodes()).stream()
        .flatMap(node -> node.getBackendsList().stream())
        .filter(backend -> backend.getName().equals("container"))
        .findFirst()
        .orElseThrow()
        .getSandboxPool();
  }

  /** Waits until its pool is full. */
  void awaitPool() throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (SandboxPool pool = pool(); pool.getAvailable() < pool.getWanted(); pool = pool()) {
      if (System.nanoTime() > deadline) {
        throw new IOException("the pool does not fill: " + pool);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** Starts it with further settings; the layers are built on the way. */
  static Platform start(Map<String, String> settings) throws IOException {
    Owned owned = new Owned();
    try {
      return start(owned, settings);
    } catch (IOException | RuntimeException e) {
      owned.close();
      throw e;
    }
  }

  private static Platform start(Owned owned, Map<String, String> settings) throws IOException {
    String mark = UUID.randomUUID().toString().substring(0, 8);
    Scratch scratch = owned.add(new Scratch("sgload-" + mark));
    Path data = scratch.directory().resolve("data");
    Server server = owned.add(Server.start(config(data, scratch, settings)));
    String token = Files.readString(data.resolve("node.token")).strip();
    Address address = new Address("http://127.0.0.1:" + server.nodePort(), token);
    Sandgate client = owned.add(Sandgate.connect(address.uri(), token));
    Platform platform = new Platform(owned, scratch, client, address);
    owned.add(platform::deleteAll);
    return platform;
  }

  private static ServerConfig config(Path data, Scratch scratch, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.putIfAbsent("backend.container.pool.max", "0");
    settings.put("backend.container.run", scratch.directory().resolve("run").toString());
    settings.put("backend.container.cgroup-name", scratch.name());
    settings.put("backend.fncall.run", scratch.directory().resolve("calls").toString());
    settings.put("backend.fncall.cgroup-name", scratch.name() + "-calls");
    ServerConfig.NodePart node =
        new ServerConfig.NodePart("load", new HostPort("127.0.0.1", 0), Optional.empty(), settings);
    return new ServerConfig(data, null, node, List.of());
  }

  /** What it is compared with, removed with it. */
  Peers peers(Tools tools) throws IOException, InterruptedException {
    return owned.add(new Peers(tools, stack, scratch.directory().resolve("peers")));
  }

  /** Its places. */
  public Scratch scratch() {
    return scratch;
  }

  LayerStack stack() {
    return stack;
  }

  /** The client of its node. */
  public Sandgate client() {
    return client;
  }

  /** A sandbox's writable directory on the host. */
  public Path upper(SandboxHandle sandbox) {
    return node().resolve("backends/container/uppers").resolve(sandbox.id());
  }

  /** How many layers the node keeps. */
  public long layerImages() throws IOException {
    try (Stream<Path> images = Files.list(node().resolve("layers"))) {
      return images.count();
    }
  }

  private Path node() {
    return scratch.directory().resolve("data/node");
  }

  /** One more client, which the caller closes. */
  Sandgate connect() {
    return Sandgate.connect(
        ClientOptions.of(address.uri(), address.token()).withReconnectTimeout(Duration.ZERO));
  }

  /** One sandbox on all layers with room for many processes. */
  SandboxHandle createRoomy() {
    Limits limits = Limits.newBuilder().setPids(10_000).setMemoryBytes(4L << 30).build();
    return await(client.sandboxes().create(spec().toBuilder().setLimits(limits).build()));
  }

  /** One sandbox on all layers. */
  public SandboxHandle create() {
    return await(client.sandboxes().create(spec()));
  }

  /**
   * What a batch made.
   *
   * @param sandboxes that take commands
   * @param failures of those that were not made
   */
  public record Made(List<SandboxHandle> sandboxes, List<String> failures) {}

  /** Many with one call. */
  public Made createBatch(int count) {
    CreateSandboxBatchRequest request =
        CreateSandboxBatchRequest.newBuilder().setSpec(spec()).setCount(count).build();
    List<BatchItem> items =
        client.sandboxes().createBatch(request).collect().asList().await().atMost(PATIENCE);
    Made made = new Made(new ArrayList<>(), new ArrayList<>());
    for (BatchItem item : items) {
      switch (item) {
        case BatchItem.Created created -> made.sandboxes().add(created.sandbox());
        case BatchItem.Failed failed -> made.failures().add(failed.reason().getMessage());
      }
    }
    return made;
  }

  private void deleteAll() {
    ListSandboxesRequest living =
        ListSandboxesRequest.newBuilder().addStates(SandboxState.SANDBOX_STATE_RUNNING).build();
    deleteIds(client.sandboxes().list(living).map(Sandbox::getSandboxId));
  }

  /** Deletes them, some at once. */
  public void delete(List<SandboxHandle> sandboxes) {
    deleteIds(Multi.createFrom().iterable(sandboxes).map(SandboxHandle::id));
  }

  private void deleteIds(Multi<String> ids) {
    ids.onItem()
        .transformToUni(id -> client.sandboxes().delete(id))
        .merge(AT_ONCE)
        .collect()
        .asList()
        .await()
        .atMost(PATIENCE);
  }

  /** Runs a command in each, some at once; gives the failures. */
  public List<String> silent(List<SandboxHandle> sandboxes) {
    return silent(sandboxes, AT_ONCE);
  }

  /** The same, so many at once: where each waits long for its turn, they wait together. */
  public List<String> silent(List<SandboxHandle> sandboxes, int atOnce) {
    return Multi.createFrom()
        .iterable(sandboxes)
        .onItem()
        .transformToUni(Commands::failure)
        .merge(atOnce)
        .select()
        .where(Optional::isPresent)
        .map(Optional::orElseThrow)
        .collect()
        .asList()
        .await()
        .atMost(PATIENCE);
  }

  /** A sandbox on all layers. */
  public SandboxSpec spec() {
    return SandboxSpec.newBuilder()
        .setEnvironment(stack.environment())
        .setUser("root")
        .setIdleTimeoutMillis(Duration.ofDays(1).toMillis())
        .build();
  }

  /** Waits, for two minutes at most. */
  public static <T> T await(Uni<T> uni) {
    return uni.await().atMost(PATIENCE);
  }

  @Override
  public void close() throws IOException {
    owned.close();
  }
}
