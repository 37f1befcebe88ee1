// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Handover;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.Undo;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.agent.AgentSetup;
import dev.sandgate.support.spawner.Activation;
import dev.sandgate.support.spawner.Blank;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The making of one sandbox, step by step with the way back of each; runs on a virtual thread. */
final class Creation {

  private static final Logger LOG = LoggerFactory.getLogger(Creation.class);
  private static final Duration GREETING = Duration.ofSeconds(20);

  private final Host host;
  private final SandboxSpec spec;
  private final Undo undo = new Undo();
  private final Handover<Sandbox> waiter;
  private volatile @Nullable ContainerSandbox made;

  Creation(Host host, SandboxSpec spec, Handover<Sandbox> waiter) {
    this.host = host;
    this.spec = spec;
    this.waiter = waiter;
    waiter.onCancelled(() -> host.run(this::abandon));
  }

  private void abandon() {
    ContainerSandbox sandbox = made;
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
    ResourceLimits limits = host.settings().limitsFor(spec.limits());
    List<String> layers = host.layers().link(spec.layers());
    int pid = host.blanks().make(blank(limits), undo);
    undo.push(
        "root of " + spec.id(), () -> host.spawner().destroy(spec.id(), Host.upper(spec.id())));
    Uni<AgentConnection> greeting = greet(pid);
    host.spawner()
        .activate(
            new Activation(
                spec.id(),
                pid,
                Host.upper(spec.id()),
                limits.diskBytes(),
                layers,
                spec.hostname()));
    AgentConnection agent = greeting.await().indefinitely();
    setUp(agent, limits);
    ContainerSandbox sandbox = new ContainerSandbox(host, spec.id(), layers, agent);
    undo.push("sandbox " + spec.id(), () -> sandbox.destroyUnused().await().indefinitely());
    return sandbox;
  }

  /** Connects to the agent, which greets before it has a root: meanwhile the root is made. */
  private Uni<AgentConnection> greet(int pid) {
    CompletableFuture<AgentConnection> greeting =
        host.connect(spec.id(), pid, GREETING).subscribeAsCompletionStage();
    undo.push(
        "agent of " + spec.id(),
        () -> {
          var _ = greeting.thenAccept(AgentConnection::close);
        });
    return Uni.createFrom().completionStage(greeting);
  }

  private Blank blank(ResourceLimits limits) {
    boolean bestEffort =
        switch (spec.qosClass()) {
          case LATENCY_SENSITIVE -> false;
          case BEST_EFFORT -> true;
        };
    return new Blank(
        spec.id(), bestEffort, limits.cpuMillis(), limits.memoryBytes(), limits.pids());
  }

  private void setUp(AgentConnection agent, ResourceLimits limits) {
    agent
        .setUp(new AgentSetup("", spec.user(), spec.env(), limits.openFiles()))
        .await()
        .indefinitely();
  }
}
