// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Change;
import dev.sandgate.spi.Connection;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import dev.sandgate.spi.Termination;
import dev.sandgate.spi.Termination.Reason;
import dev.sandgate.spi.Usage;
import dev.sandgate.support.agent.AgentConnection;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One container: its agent does what is asked inside, the spawner what is asked from outside. */
final class ContainerSandbox implements Sandbox {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerSandbox.class);

  private final Host host;
  private final String id;
  private final List<String> layers;
  private final AgentConnection agent;
  private final CompletableFuture<Termination> terminated = new CompletableFuture<>();
  private volatile boolean used;
  private @Nullable CompletableFuture<Void> removal;

  @SuppressWarnings("FutureReturnValueIgnored") // it cannot fail
  ContainerSandbox(Host host, String id, List<String> layers, AgentConnection agent) {
    this.host = host;
    this.id = id;
    this.layers = layers;
    this.agent = agent;
    agent.lost().thenAccept(this::onLost);
  }

  @Override
  public String id() {
    used = true;
    return id;
  }

  @Override
  public Uni<Exec> exec(ExecSpec spec) {
    used = true;
    return agent.exec(spec);
  }

  @Override
  public Uni<Exec> attach(String execId, OutputOffsets from) {
    used = true;
    return agent.attach(execId, from);
  }

  @Override
  public Uni<Exec> openSession(SessionSpec spec) {
    used = true;
    return agent.openSession(spec);
  }

  @Override
  public Uni<Exec> attachSession(String sessionId) {
    used = true;
    return agent.attachSession(sessionId);
  }

  @Override
  public Uni<Exec> runInSession(SessionCommand command) {
    used = true;
    return agent.runInSession(command);
  }

  @Override
  public Files files() {
    used = true;
    return agent.files();
  }

  @Override
  public Multi<Change> changes() {
    used = true;
    return isBeingRemoved() ? this.<Change>gone().toMulti() : Changes.of(host, id, layers);
  }

  @Override
  public Uni<Connection> connect(int port) {
    used = true;
    return agent.connect(port);
  }

  @Override
  public Uni<Usage> usage() {
    used = true;
    return isBeingRemoved() ? gone() : host.call(() -> host.spawner().usage(id));
  }

  /** Whether somebody has it in hand. */
  boolean isUsed() {
    return used;
  }

  private <T> Uni<T> gone() {
    return Uni.createFrom()
        .failure(() -> new SandgateException(ErrorCode.SANDBOX_LOST, id + " has ended"));
  }

  @Override
  public Uni<Termination> terminated() {
    used = true;
    return Uni.createFrom().completionStage(terminated::copy);
  }

  @Override
  public Uni<Void> destroy() {
    used = true;
    return destroyUnused();
  }

  /** The same for one that nobody has in hand yet. */
  Uni<Void> destroyUnused() {
    return Uni.createFrom()
        .completionStage(() -> remove(new Termination(Reason.DESTROYED, "")).copy());
  }

  private void onLost(String why) {
    if (!host.isClosed() && !isBeingRemoved()) {
      LOG.warn("{} is lost: {}", id, why);
      agent
          .killedForMemory()
          .onFailure()
          .recoverWithItem(false)
          .subscribe()
          .with(killed -> end(killed ? outOfMemory() : new Termination(Reason.CHANNEL_LOST, why)));
    }
  }

  private static Termination outOfMemory() {
    return new Termination(
        Reason.OUT_OF_MEMORY,
        "the kernel killed the sandbox's first process for memory; raise limits.memory_bytes");
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a removal that fails is logged where it fails
  private void end(Termination why) {
    terminated.complete(why);
    remove(why);
  }

  private synchronized boolean isBeingRemoved() {
    return removal != null;
  }

  /** Starts the removal, or joins the one under way; one that failed is tried again. */
  private synchronized CompletableFuture<Void> remove(Termination why) {
    if (removal == null || removal.isCompletedExceptionally()) {
      CompletableFuture<Void> started = new CompletableFuture<>();
      removal = started;
      agent.close();
      host.run(() -> remove(why, started));
    }
    return removal;
  }

  private void remove(Termination why, CompletableFuture<Void> done) {
    try {
      host.spawner().destroy(id, Host.upper(id));
      terminated.complete(why);
      done.complete(null);
    } catch (RuntimeException e) {
      LOG.error("{} could not be removed", id, e);
      done.completeExceptionally(host.explain(e));
    }
  }
}
