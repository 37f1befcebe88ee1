// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.Undo;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.agent.AgentSetup;
import dev.sandgate.support.spawner.Activation;
import dev.sandgate.support.spawner.Blank;
import dev.sandgate.support.spawner.DiskBound;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Puts a sandbox together, at its creation and at each reset: a blank, a root with nothing written, an agent that is set up.
 *
 * @param host what it is made with
 * @param spec what it is to be
 */
record Assembly(Host host, SandboxSpec spec) {

  private static final Duration GREETING = Duration.ofSeconds(20);

  /** The names of its layers' images, lowest first, as the spawner wants them. */
  List<String> layers() {
    return host.layers().names(spec.layers());
  }

  /** What it may use, the settings' defaults filled in. */
  ResourceLimits limits() {
    return host.settings().limitsFor(spec.limits());
  }

  /** Lets go of its layers; it has no root any more. */
  void release() {
    host.layers().release(spec.id(), spec.layers());
  }

  /** Makes it; blocks. The way back of each step is pushed on {@code undo}. */
  AgentConnection make(Undo undo) {
    if (!ImageSize.isWanted(limits())) {
      return make(undo, DiskBound.NONE);
    }
    try (ImageTemplates.Lease template = host.templates().lease(ImageSize.of(limits()))) {
      boolean reserved = host.settings().diskReserved();
      return make(undo, new DiskBound(limits().diskBytes(), template.name(), reserved));
    }
  }

  private AgentConnection make(Undo undo, DiskBound disk) {
    ResourceLimits limits = limits();
    List<String> layers = host.layers().hold(spec.id(), spec.layers());
    undo.push("layers of " + spec.id(), this::release);
    int pid = host.blanks().make(blank(limits), undo);
    undo.push(
        "root of " + spec.id(), () -> host.spawner().destroy(spec.id(), Host.upper(spec.id())));
    Uni<AgentConnection> greeting = greet(pid, undo);
    host.spawner()
        .activate(
            new Activation(spec.id(), pid, Host.upper(spec.id()), disk, layers, spec.hostname()));
    AgentConnection agent = greeting.await().indefinitely();
    agent
        .setUp(new AgentSetup("", spec.user(), spec.env(), limits.openFiles()))
        .await()
        .indefinitely();
    return agent;
  }

  /** Connects to the agent, which greets before it has a root: meanwhile the root is made. */
  private Uni<AgentConnection> greet(int pid, Undo undo) {
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
}
