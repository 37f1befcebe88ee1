// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.tck.fake.FakeBackend;
import io.smallrye.mutiny.Uni;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A fake backend that also declares limits and, if told so, layers; and that shows the specs it got. */
public final class MemoryBackend implements Backend {

  /** What backends were asked for, by sandbox id. */
  public static final Map<String, SandboxSpec> SPECS = new ConcurrentHashMap<>();

  private final FakeBackend fake;
  private final boolean layered;

  MemoryBackend(FakeBackend fake, boolean layered) {
    this.fake = fake;
    this.layered = layered;
  }

  @Override
  public Isolation isolation() {
    return fake.isolation();
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> capabilities = EnumSet.copyOf(fake.capabilities());
    capabilities.add(Capability.LIMITS);
    if (layered) {
      capabilities.add(Capability.LAYERS);
    }
    return capabilities;
  }

  @Override
  public Probe probe() {
    return fake.probe();
  }

  @Override
  public Uni<Sandbox> create(SandboxSpec spec) {
    SPECS.put(spec.id(), spec);
    return fake.create(spec);
  }

  @Override
  public Uni<List<Sandbox>> adopt(List<SandboxSpec> known) {
    return fake.adopt(known);
  }

  @Override
  public void close() {
    fake.close();
  }
}
