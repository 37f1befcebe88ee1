// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Functions;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Set;

/** Function calls on workers made ahead; it has no sandboxes, since nothing of a call stays. */
final class FncallBackend implements Backend {

  private final Host host;
  private final WarmFunctions functions;

  FncallBackend(FncallSettings settings) {
    this.host = new Host(settings);
    this.functions = new WarmFunctions(host);
  }

  @Override
  public Isolation isolation() {
    return Isolation.CONTAINER;
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.FUNCTIONS, Capability.LAYERS);
  }

  @Override
  public Probe probe() {
    return FncallProbe.run(host.settings().spawner());
  }

  @Override
  public Uni<Sandbox> create(SandboxSpec spec) {
    return Uni.createFrom()
        .failure(
            () ->
                new SandgateException(
                    ErrorCode.UNSUPPORTED,
                    "fncall has no sandboxes: use Functions/Invoke, or the backend container"));
  }

  @Override
  public Functions functions() {
    return functions;
  }

  /** No worker outlives the node it serves: all that are found are removed. */
  @Override
  public Uni<List<Sandbox>> adopt(List<SandboxSpec> known) {
    return Uni.createFrom()
        .emitter(
            emitter ->
                host.threads()
                    .execute(
                        () -> {
                          try {
                            Leftovers.remove(host);
                            emitter.complete(List.of());
                          } catch (RuntimeException e) {
                            emitter.fail(Host.explain(e));
                          }
                        }));
  }

  @Override
  public void forget(String digest) {
    host.layers().forget(digest);
  }

  @Override
  public void close() {
    functions.close();
    host.close();
  }
}
