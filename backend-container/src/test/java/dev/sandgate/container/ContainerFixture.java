// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.spawner.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A backend of its own directories, cgroups and spawner, and the removal of all of it. */
final class ContainerFixture implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(100);
  static final ResourceLimits DEFAULTS = new ResourceLimits(0, 0, 0, 0, 0);

  final String mark = UUID.randomUUID().toString().substring(0, 8);
  final Path directory;
  final Layer layer;
  final BackendContext context;
  Backend backend;

  ContainerFixture(Map<String, String> extra) throws IOException, InterruptedException {
    directory = Files.createDirectory(Path.of("/tmp", "sg-" + mark));
    layer = BusyboxLayer.build(Files.createDirectories(directory.resolve("images")));
    Map<String, String> settings = new HashMap<>(extra);
    settings.putIfAbsent("pool.max", "0");
    settings.putIfAbsent("run", directory.resolve("r").toString());
    settings.putIfAbsent("cgroup-name", "sgj-" + mark);
    context =
        new BackendContext("test", Files.createDirectories(directory.resolve("state")), settings);
    backend = new ContainerProvider().open(context);
  }

  SandboxSpec spec() {
    return spec(DEFAULTS, QosClass.LATENCY_SENSITIVE, List.of(layer));
  }

  SandboxSpec spec(ResourceLimits limits, QosClass qosClass, List<Layer> layers) {
    String id = "sb-test-" + UUID.randomUUID().toString().substring(0, 12);
    return new SandboxSpec(
        id, layers, limits, qosClass, "root", Map.of("GREETING", "hi there"), "box", Map.of());
  }

  Sandbox create(SandboxSpec spec) {
    return backend.create(spec).await().atMost(PATIENCE);
  }

  /** Closes the backend and opens it again, as a restarted node would. */
  void reopen() {
    backend.close();
    backend = new ContainerProvider().open(context);
  }

  @Override
  public void close() throws IOException {
    try (Spawner spawner = new Spawner(ContainerSettings.of(context).spawner())) {
      for (Spawner.Found left : spawner.list()) {
        spawner.destroy(left.name(), "uppers/" + left.id());
      }
    } finally {
      backend.close();
      TestTree.delete(directory);
    }
  }
}
