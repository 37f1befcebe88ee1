// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fullvm;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Set;

/** The full VM backend: it examines the host, and refuses to create. */
final class FullvmBackend implements Backend {

  @Override
  public Isolation isolation() {
    return Isolation.VM;
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public Probe probe() {
    return FullvmProbe.run();
  }

  @Override
  public Uni<Sandbox> create(SandboxSpec spec) {
    return Uni.createFrom()
        .failure(
            () ->
                new SandgateException(
                    ErrorCode.BACKEND_UNAVAILABLE, "fullvm: " + FullvmProbe.MISSING.detail()));
  }

  @Override
  public Uni<List<Sandbox>> adopt(List<SandboxSpec> known) {
    return Uni.createFrom().item(List.of());
  }

  @Override
  public void close() {}
}
