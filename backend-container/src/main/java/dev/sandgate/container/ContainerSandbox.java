// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Change;
import dev.sandgate.spi.Connection;
import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.Handover;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Reclaimed;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.spi.Termination;
import dev.sandgate.spi.Termination.Reason;
import dev.sandgate.spi.Usage;
import dev.sandgate.support.Undo;
import dev.sandgate.support.agent.AgentConnection;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One container: its agent does what is asked inside, the spawner what is asked from outside. */
final class ContainerSandbox implements Sandbox {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerSandbox.class);

  private final Host host;
  private final String id;
  private final Assembly assembly;
  private final ReentrantLock turn =
      new ReentrantLock(); // of who makes or removes what it is made of
  private final CompletableFuture<Termination> terminated = new CompletableFuture<>();
  private volatile Guest guest;
  private volatile boolean used;
  private volatile boolean paused;
  private volatile Optional<Usage> lastUsage = Optional.empty();
  private boolean resetting;
  private int resets;
  private @Nullable CompletableFuture<Void> removal;

  ContainerSandbox(Assembly assembly, Guest guest) {
    this.host = assembly.host();
    this.id = assembly.spec().id();
    this.assembly = assembly;
    this.guest = guest;
    follow(guest.agent());
  }

  private void follow(AgentConnection followed) {
    var _ = followed.lost().thenAccept(why -> onLost(followed, why));
  }

  @Override
  public String id() {
    used = true;
    return id;
  }

  @Override
  public Uni<Exec> exec(ExecSpec spec) {
    used = true;
    return agent().exec(spec);
  }

  @Override
  public Uni<Exec> attach(String execId, OutputOffsets from) {
    used = true;
    return agent().attach(execId, from);
  }

  @Override
  public Uni<Exec> openSession(SessionSpec spec) {
    used = true;
    return agent().openSession(spec);
  }

  @Override
  public Uni<Exec> attachSession(String sessionId) {
    used = true;
    return agent().attachSession(sessionId);
  }

  @Override
  public Uni<Exec> attachInSession(String sessionId, String execId, OutputOffsets from) {
    used = true;
    return agent().attachInSession(sessionId, execId, from);
  }

  @Override
  public Uni<Exec> runInSession(SessionCommand command) {
    used = true;
    return agent().runInSession(command);
  }

  @Override
  public Files files() {
    used = true;
    return agent().files();
  }

  @Override
  public Multi<Change> changes() {
    used = true;
    return isThere() ? Changes.of(host, id, assembly.layers()) : this.<Change>gone().toMulti();
  }

  @Override
  public Uni<Connection> connect(int port) {
    used = true;
    return agent().connect(port);
  }

  @Override
  public Uni<Usage> usage() {
    used = true;
    return isThere()
        ? host.call(() -> Used.by(host, this, assembly.limits()))
            .onFailure(_ -> !isThere())
            .transform(_ -> isGone())
        : gone();
  }

  @Override
  public Optional<Usage> lastUsage() {
    return lastUsage;
  }

  @Override
  public Uni<Void> pause() {
    return standStill(true);
  }

  @Override
  public Uni<Void> resume() {
    return standStill(false);
  }

  private Uni<Void> standStill(boolean still) {
    used = true;
    return host.call(
            () -> {
              standStillInTurn(still);
              return id;
            })
        .replaceWithVoid();
  }

  /** A guest that stands still cannot answer, so it is not asked from before until after. */
  private void standStillInTurn(boolean still) {
    turn.lock();
    try {
      resetsIfThere();
      agent().standStill(true);
      boolean stands = !still;
      try {
        host.spawner().freeze(name(), still);
        stands = still;
        paused = still;
      } finally {
        agent().standStill(stands);
      }
    } finally {
      turn.unlock();
    }
  }

  @Override
  public Uni<Reclaimed> reclaim() {
    used = true;
    return isThere() ? host.call(() -> host.reclaims().of(name())) : gone();
  }

  @Override
  public Uni<DiskSnapshot> snapshot(SnapshotLimits limits) {
    used = true;
    return Handover.uni(waiter -> host.run(() -> snapshot(limits, waiter)));
  }

  private void snapshot(SnapshotLimits limits, Handover<DiskSnapshot> waiter) {
    try {
      int begun = resetsIfThere();
      UpperCopy copy = UpperCopy.of(host, this, limits, paused);
      waiter.onCancelled(() -> host.run(copy::close));
      if (!isThere() || resetsIfThere() != begun) {
        copy.close();
        throw isGone();
      }
      waiter.complete(copy);
    } catch (RuntimeException e) {
      waiter.fail(isThere() ? host.explain(e) : isGone());
    }
  }

  @Override
  public Uni<Optional<Usage>> reset() {
    used = true;
    return host.call(this::resetInTurn);
  }

  private Optional<Usage> resetInTurn() {
    turn.lock();
    try {
      beginReset();
      agent().close(id + " is being reset");
      Undo undo = new Undo();
      try {
        lastUsage = host.spawner().destroy(name(), Host.upper(id));
        return endReset(assembly.make(undo, host.ahead()::take));
      } catch (RuntimeException e) {
        throw undo.runBecause(host.explain(e));
      }
    } finally {
      turn.unlock();
    }
  }

  private synchronized void beginReset() {
    if (removal != null) {
      throw isGone();
    }
    resetting = true;
    resets++;
  }

  private synchronized Optional<Usage> endReset(Guest fresh) {
    Optional<Usage> before = lastUsage;
    lastUsage = Optional.empty();
    guest = fresh;
    paused = false;
    resetting = false;
    follow(fresh.agent());
    return before;
  }

  private synchronized int resetsIfThere() {
    if (!isThere()) {
      throw isGone();
    }
    return resets;
  }

  /** What the spawner knows it by now. */
  String name() {
    return guest.name();
  }

  private AgentConnection agent() {
    return guest.agent();
  }

  /** Whether somebody has it in hand. */
  boolean isUsed() {
    return used;
  }

  private <T> Uni<T> gone() {
    return Uni.createFrom().failure(this::isGone);
  }

  private SandgateException isGone() {
    return new SandgateException(ErrorCode.SANDBOX_LOST, id + " has ended or was reset");
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

  private void onLost(AgentConnection lost, String why) {
    if (!host.isClosed() && isHeldBy(lost)) {
      LOG.warn("{} is lost: {}", id, why);
      lost.killedForMemory()
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

  private synchronized boolean isThere() {
    return removal == null && !resetting;
  }

  private synchronized boolean isHeldBy(AgentConnection one) {
    return isThere() && agent() == one;
  }

  /** Starts the removal, or joins the one under way; one that failed is tried again. */
  private synchronized CompletableFuture<Void> remove(Termination why) {
    if (removal == null || removal.isCompletedExceptionally()) {
      CompletableFuture<Void> started = new CompletableFuture<>();
      removal = started;
      agent().close(id + " is being removed");
      host.run(() -> remove(why, started));
    }
    return removal;
  }

  private void remove(Termination why, CompletableFuture<Void> done) {
    turn.lock();
    try {
      agent().close(id + " is being removed"); // a reset may have made another one meanwhile
      lastUsage = host.spawner().destroy(name(), Host.upper(id)).or(() -> lastUsage);
      assembly.release();
      terminated.complete(why);
      done.complete(null);
    } catch (RuntimeException e) {
      LOG.error("{} could not be removed", id, e);
      done.completeExceptionally(host.explain(e));
    } finally {
      turn.unlock();
    }
  }
}
