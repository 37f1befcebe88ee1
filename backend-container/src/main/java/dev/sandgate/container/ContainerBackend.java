// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Handover;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxPool;
import dev.sandgate.spi.SandboxSpec;
import io.smallrye.mutiny.Uni;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Sandboxes made of namespaces, cgroups and an overlay of layers, on the host's own kernel. */
final class ContainerBackend implements Backend {

  private static final Set<Capability> CAPABILITIES =
      Set.of(
          Capability.TERMINAL,
          Capability.FILES,
          Capability.ARCHIVES,
          Capability.WATCH,
          Capability.CHANGES,
          Capability.CONNECT,
          Capability.LAYERS,
          Capability.PARTIAL_LAYERS,
          Capability.LIMITS,
          Capability.CLASSES,
          Capability.ADOPT,
          Capability.SESSIONS,
          Capability.PAUSE,
          Capability.DISK_SNAPSHOT,
          Capability.RESET);

  private final Host host;

  ContainerBackend(ContainerSettings settings) {
    this.host = new Host(settings);
  }

  @Override
  public Isolation isolation() {
    return Isolation.CONTAINER;
  }

  @Override
  public Set<Capability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public Probe probe() {
    return new HostProbe(host).run();
  }

  @Override
  public Uni<Sandbox> create(SandboxSpec spec) {
    return Handover.uni(
        waiter -> host.run(new Creation(host, spec, waiter, host.ahead()::take)::run));
  }

  @Override
  public Uni<List<Sandbox>> adopt(List<SandboxSpec> known) {
    return host.call(() -> new Adoption(host, known).run());
  }

  @Override
  public Optional<SandboxPool> pool() {
    return Optional.of(host.ahead());
  }

  @Override
  public Uni<Manifest> manifest(Layer layer, Path list) {
    return host.call(() -> new LayerList(host, layer).write(list));
  }

  @Override
  public void forget(String digest) {
    host.layers().forget(digest);
  }

  @Override
  public void close() {
    host.close();
  }
}
