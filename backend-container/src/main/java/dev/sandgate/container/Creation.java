// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Handover;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.Undo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The making of one sandbox, step by step with the way back of each; runs on a virtual thread. */
final class Creation {

  private static final Logger LOG = LoggerFactory.getLogger(Creation.class);

  private final Host host;
  private final SandboxSpec spec;
  private final Undo undo = new Undo();
  private final Handover<Sandbox> waiter;
  private final Ahead.Source source;
  private volatile @Nullable ContainerSandbox made;

  Creation(Host host, SandboxSpec spec, Handover<Sandbox> waiter, Ahead.Source source) {
    this.host = host;
    this.spec = spec;
    this.waiter = waiter;
    this.source = source;
    waiter.onCancelled(() -> host.run(this::abandon));
  }

  private void abandon() {
    ContainerSandbox sandbox = made;
    source.leave();
    try {
      if (sandbox == null || !sandbox.isUsed()) {
        undo.run();
      }
    } catch (IllegalStateException e) {
      LOG.error("{} was given up and could not be removed", spec.id(), e);
    }
  }

  void run() {
    try {
      ContainerSandbox sandbox = make();
      made = sandbox;
      waiter.complete(sandbox);
    } catch (RuntimeException e) {
      waiter.fail(undo.runBecause(host.explain(e)));
    }
  }

  private ContainerSandbox make() {
    Assembly assembly = new Assembly(host, spec);
    ContainerSandbox sandbox = new ContainerSandbox(assembly, assembly.make(undo, source));
    undo.push("sandbox " + spec.id(), () -> sandbox.destroyUnused().await().indefinitely());
    return sandbox;
  }
}
