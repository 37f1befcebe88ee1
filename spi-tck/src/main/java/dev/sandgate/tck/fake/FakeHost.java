// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.Termination;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A host with fake sandboxes, and the provider {@code fake} of the backends on it. Sandboxes belong to the
 * host: they outlive a closed backend, and the next one adopts them. Thread-safe.
 */
public final class FakeHost implements BackendProvider {

  private final Faults faults = new Faults();
  private final Map<String, FakeSandbox> sandboxes = new ConcurrentHashMap<>();

  /** An empty host where nothing goes wrong. */
  public FakeHost() {}

  @Override
  public String name() {
    return "fake";
  }

  /** Opens a backend; faults may be given as settings, for example {@code fault.create=fail INTERNAL 2}. */
  @Override
  public FakeBackend open(BackendContext context) {
    faults.read(context.settings());
    return new FakeBackend(this);
  }

  /**
   * What goes wrong on this host.
   *
   * @return the same for all its backends
   */
  public Faults faults() {
    return faults;
  }

  /**
   * The sandboxes that exist on the host, whoever knows of them.
   *
   * @return a copy of their ids
   */
  public Set<String> sandboxIds() {
    return Set.copyOf(sandboxes.keySet());
  }

  /**
   * Ends a sandbox as if its guest had died or its channel had broken.
   *
   * @param sandboxId the victim
   * @param reason what its termination says
   * @return whether it existed
   */
  public boolean kill(String sandboxId, Termination.Reason reason) {
    Optional<FakeSandbox> victim = find(sandboxId);
    victim.ifPresent(sandbox -> sandbox.end(new Termination(reason, "killed by the test")));
    return victim.isPresent();
  }

  Optional<FakeSandbox> find(String sandboxId) {
    return Optional.ofNullable(sandboxes.get(sandboxId));
  }

  FakeSandbox make(SandboxSpec spec) {
    FakeSandbox sandbox = new FakeSandbox(spec, faults, () -> sandboxes.remove(spec.id()));
    sandboxes.put(spec.id(), sandbox);
    return sandbox;
  }

  /** Ends every sandbox that is not in the set. */
  void keepOnly(Set<String> ids) {
    sandboxes.values().stream()
        .filter(sandbox -> !ids.contains(sandbox.id()))
        .forEach(sandbox -> sandbox.end(new Termination(Termination.Reason.LOST, "not known")));
  }
}
