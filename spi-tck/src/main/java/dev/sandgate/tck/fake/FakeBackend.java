// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Isolation;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Termination;
import io.smallrye.mutiny.Uni;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A backend in memory on a {@link FakeHost}. Its sandboxes know the commands {@code echo true false exit
 * sleep cat head seq yes sha256sum env pwd touch sh}, with bounded buffers and back-pressure as in a real
 * one; {@link Faults} say what goes wrong.
 */
public final class FakeBackend implements Backend {

  private final FakeHost host;

  FakeBackend(FakeHost host) {
    this.host = host;
  }

  @Override
  public Isolation isolation() {
    return Isolation.PROCESS;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(
        Capability.FILES, Capability.CONNECT, Capability.ADOPT, Capability.PAUSE, Capability.RESET);
  }

  @Override
  public Probe probe() {
    try {
      host.faults().pass(Faults.Point.PROBE);
      return new Probe(List.of(new Probe.Finding("memory", true, true, "in this JVM")));
    } catch (SandgateException fault) {
      return new Probe(List.of(new Probe.Finding("memory", true, false, fault.code().toString())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Probe(List.of(new Probe.Finding("memory", true, false, "interrupted")));
    }
  }

  @Override
  public Uni<Sandbox> create(SandboxSpec spec) {
    return Work.of(() -> made(spec), FakeBackend::abandon);
  }

  private Sandbox made(SandboxSpec spec) throws InterruptedException {
    host.faults().pass(Faults.Point.CREATE);
    FakeSandbox sandbox = host.make(spec);
    try {
      host.faults().pass(Faults.Point.CREATED);
      return sandbox;
    } catch (InterruptedException | RuntimeException e) {
      abandon(sandbox);
      throw e;
    }
  }

  private static void abandon(Sandbox sandbox) {
    ((FakeSandbox) sandbox).end(new Termination(Termination.Reason.DESTROYED, "abandoned"));
  }

  @Override
  public Uni<List<Sandbox>> adopt(List<SandboxSpec> known) {
    return Work.of(
        () -> {
          host.faults().pass(Faults.Point.ADOPT);
          host.keepOnly(known.stream().map(SandboxSpec::id).collect(Collectors.toSet()));
          return known.stream()
              .flatMap(spec -> host.find(spec.id()).stream())
              .map(Sandbox.class::cast)
              .toList();
        });
  }

  @Override
  public void close() {}
}
