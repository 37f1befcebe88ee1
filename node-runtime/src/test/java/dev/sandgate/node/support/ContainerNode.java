// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.node.NodeConfig;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A node with real containers of the environment {@code busybox}; removes what is left when it is closed. Needs root. */
public final class ContainerNode implements AutoCloseable {

  private final String mark = UUID.randomUUID().toString().substring(0, 8);
  private final Path run = Path.of("/run", "sgt-" + mark);
  private final TestNode node;

  /** Starts it. */
  public ContainerNode() {
    this(_ -> {});
  }

  /** Starts it when its data directory, which may be touched before each start, is prepared. */
  public ContainerNode(Consumer<Path> prepare) {
    this(prepare, config -> config);
  }

  /** Starts it with other settings, which are asked for before each start. */
  public static ContainerNode configured(UnaryOperator<NodeConfig> change) {
    return new ContainerNode(_ -> {}, change);
  }

  private ContainerNode(Consumer<Path> prepare, UnaryOperator<NodeConfig> change) {
    node =
        TestNode.start(
            config -> {
              prepare.accept(config.dataDirectory());
              return change.apply(with(config));
            });
    var call = node.rpc().open(EnvironmentsGrpcClient.ImportEnvironment, 0);
    call.end(
        ImportEnvironmentRequest.newBuilder().setName("busybox").setBuiltin("busybox").build());
    call.rest();
  }

  private NodeConfig with(NodeConfig config) {
    NodeConfig on = TestNode.with(config, "backend.container.enabled", "true");
    on = TestNode.with(on, "backend.container.run", run.toString());
    on = TestNode.with(on, "backend.container.pool.max", "0");
    return TestNode.with(on, "backend.container.cgroup-name", "sgt-" + mark);
  }

  /** The spawner's run directory. */
  Path run() {
    return run;
  }

  /** The name of the cgroup that its sandboxes are below. */
  public String cgroup() {
    return "sgt-" + mark;
  }

  /** The node itself. */
  public TestNode node() {
    return node;
  }

  /** A client. */
  public Rpc rpc() {
    return node.rpc();
  }

  /** Makes a sandbox; its id. */
  public String create(SandboxSpec.Builder spec) {
    CreateSandboxRequest request =
        CreateSandboxRequest.newBuilder().setSpec(spec.setEnvironment("busybox")).build();
    return rpc().unary(SandboxesGrpcClient.Create, request).getSandboxId();
  }

  /** The first processes of its sandboxes on this host, by sandbox. */
  public Map<String, Long> agents() {
    try (Spawner spawner = spawner()) {
      return spawner.list().stream()
          .collect(Collectors.toMap(Spawner.Found::id, found -> (long) found.pid()));
    }
  }

  /** The process that makes its sandboxes. */
  public int spawnerPid() {
    try (Spawner spawner = spawner()) {
      return spawner.info().pid();
    }
  }

  private Spawner spawner() {
    Path binaries = Path.of(System.getProperty("sandgate.native", "/usr/lib/sandgate"));
    return new Spawner(
        new SpawnerSettings(
            binaries.resolve("spawner"),
            binaries.resolve("agent"),
            run,
            node.directory().resolve("backends/container"),
            100_000,
            "sgt-" + mark));
  }

  @Override
  public void close() {
    node.stop();
    try (Spawner spawner = spawner()) {
      spawner.list().forEach(found -> spawner.destroy(found.name(), "uppers/" + found.id()));
      spawner.stop();
    }
    TestNode.delete(run);
    node.close();
  }
}
