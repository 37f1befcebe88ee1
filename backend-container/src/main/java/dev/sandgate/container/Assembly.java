// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.Undo;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.agent.AgentSetup;
import dev.sandgate.support.spawner.Activation;
import dev.sandgate.support.spawner.Becoming;
import dev.sandgate.support.spawner.Blank;
import dev.sandgate.support.spawner.DiskBound;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a sandbox together, at its creation and at each reset: a blank, a root with nothing written, an agent that is set up.
 *
 * @param host what it is made with
 * @param spec what it is to be
 */
record Assembly(Host host, SandboxSpec spec) {

  private static final Logger LOG = LoggerFactory.getLogger(Assembly.class);
  private static final Duration GREETING = Duration.ofSeconds(20);

  /**
   * Its root.
   *
   * @param layers of it
   * @param disk what may be written
   */
  private record Root(List<String> layers, DiskBound disk) {}

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

  /** Makes it of a blank from the source, or of one of its own; blocks. The way back of each step is pushed on {@code undo}. */
  Guest make(Undo undo, Ahead.Source source) {
    if (!ImageSize.isWanted(limits())) {
      return make(undo, source, DiskBound.NONE);
    }
    try (ImageTemplates.Lease template = host.templates().lease(ImageSize.of(limits()))) {
      boolean reserved = host.settings().diskReserved();
      DiskBound disk = new DiskBound(limits().diskBytes(), template.name(), reserved);
      return make(undo, source, disk);
    }
  }

  private Guest make(Undo undo, Ahead.Source source, DiskBound disk) {
    Root root = new Root(host.layers().hold(spec.id(), spec.layers()), disk);
    undo.push("layers of " + spec.id(), this::release);
    Optional<ReadyBlank> ready = source.take(kind());
    host.ahead().begun();
    try {
      Optional<Guest> guest = ready.flatMap(blank -> become(blank, root, undo));
      return guest.isPresent() ? guest.get() : cold(root, undo);
    } finally {
      host.ahead().ended();
    }
  }

  private Guest cold(Root root, Undo undo) {
    int pid = host.blanks().make(blank(spec.id()), undo);
    undo.push(
        "root of " + spec.id(), () -> host.spawner().destroy(spec.id(), Host.upper(spec.id())));
    Uni<AgentConnection> greeting = greet(pid, undo);
    activate(root, spec.id(), pid, null);
    return setUp(spec.id(), greeting.await().indefinitely());
  }

  /** Nothing when the blank is to blame, of which then nothing is left. */
  private Optional<Guest> become(ReadyBlank ready, Root root, Undo undo) {
    long taken = System.nanoTime();
    Undo back = new Undo();
    back.push(
        "blank " + ready.name(), () -> host.spawner().destroy(ready.name(), Host.upper(spec.id())));
    back.push("agent of " + spec.id(), ready.agent()::close);
    undo.push("what became of " + ready.name(), back::run);
    try {
      Blank wanted = blank(ready.name());
      Becoming becoming = new Becoming(spec.id(), ready.differs(wanted) ? wanted : null);
      activate(root, ready.name(), ready.pid(), becoming);
      Guest guest = setUp(ready.name(), ready.agent());
      host.ahead().activated(System.nanoTime() - taken);
      return Optional.of(guest);
    } catch (RuntimeException e) {
      host.ahead().spoiled();
      if (!Host.isBlanksFault(e)) {
        throw e;
      }
      LOG.warn("{} became nothing, another one becomes {}", ready.name(), spec.id(), e);
      back.run();
      return Optional.empty();
    }
  }

  private void activate(Root root, String name, int pid, @Nullable Becoming becoming) {
    String hostname = spec.hostname().isEmpty() ? spec.id() : spec.hostname();
    host.spawner()
        .activate(
            new Activation(
                name, pid, Host.upper(spec.id()), root.disk(), root.layers(), hostname, becoming));
  }

  private Guest setUp(String name, AgentConnection agent) {
    AgentSetup setup = new AgentSetup("", spec.user(), spec.env(), limits().openFiles());
    agent.setUp(setup).await().indefinitely();
    return new Guest(name, agent);
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

  private BlankKind kind() {
    return new BlankKind(spec.qosClass());
  }

  private Blank blank(String name) {
    ResourceLimits limits = limits();
    return new Blank(
        name, kind().bestEffort(), limits.cpuMillis(), limits.memoryBytes(), limits.pids());
  }
}
