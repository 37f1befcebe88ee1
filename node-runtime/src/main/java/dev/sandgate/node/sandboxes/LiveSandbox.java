// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.backends.OpenBackend;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.environments.Stack;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.Termination;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Usage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One sandbox of this node, from its create call until its record is forgotten. Safe for any thread. */
public final class LiveSandbox {

  private static final List<String> GROUPING = List.of("episode", "rollout", "job");

  private final OpenBackend backend;
  private final SandboxSpec spec;
  private final Stack stack;
  private final long sequence;
  private final TimeLimits limits;
  private final Pauses pauses;
  private final CompletableFuture<LiveSandbox> usable = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final CompletableFuture<Void> removed = new CompletableFuture<>();
  private final CompletableFuture<Void> stopAsked = new CompletableFuture<>();
  private final ReentrantLock whole = new ReentrantLock();
  private final ReentrantReadWriteLock epochs = new ReentrantReadWriteLock();
  private volatile Sandbox record;
  private volatile dev.sandgate.spi.@Nullable Sandbox handle;
  private volatile boolean adopting;
  private volatile boolean resetting;
  private long epoch; // guarded by epochs
  private volatile @Nullable Runnable removalRetry;
  private volatile String endReason = "";

  LiveSandbox(OpenBackend backend, SandboxSpec spec, Stack stack, Sandbox record, long sequence) {
    this.backend = backend;
    this.spec = spec;
    this.stack = stack;
    this.record = record;
    this.pauses = Pauses.of(record, System.currentTimeMillis(), System::nanoTime);
    this.sequence = sequence;
    this.limits = TimeLimits.of(record, System.currentTimeMillis(), System::nanoTime);
  }

  /** The sandbox's id. */
  public String id() {
    return spec.id();
  }

  /** The caller's grouping. */
  public Map<String, String> labels() {
    return record.getSpec().getLabelsMap();
  }

  /** As log lines show it: what a reader looks for when something went wrong with an episode. */
  @Override
  public String toString() {
    StringBuilder shown = new StringBuilder(id());
    for (String key : GROUPING) {
      String value = labels().get(key);
      if (value != null) {
        shown.append(' ').append(key).append('=').append(Fields.shown(value));
      }
    }
    return shown.toString();
  }

  /** The backend that runs it. */
  public OpenBackend backend() {
    return backend;
  }

  /** What the backend was asked for. */
  public SandboxSpec spec() {
    return spec;
  }

  /** Where commands begin that name no directory; empty: at home. */
  public String cwd() {
    return record.getSpec().getCwd();
  }

  /** Where it is in its life. */
  public SandboxState state() {
    return record.getState();
  }

  /** The running sandbox, when the backend declares the capability; FAILED_PRECONDITION if it does not run. */
  public dev.sandgate.spi.Sandbox running(Capability capability) {
    backend.require(capability);
    return running();
  }

  /** The running sandbox, or a paused one, which wakes up; FAILED_PRECONDITION if it is neither. */
  public dev.sandgate.spi.Sandbox running() {
    dev.sandgate.spi.Sandbox running = handle;
    if (running == null || !Lifecycle.takesCommands(state())) {
      throw notRunning();
    }
    if (resetting) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION, "sandbox %s is being reset; try again".formatted(id()));
    }
    return running;
  }

  /** Does something to the running sandbox as a whole; one such thing after the other. Blocks. */
  public <T> T alone(Function<dev.sandgate.spi.Sandbox, T> work, Capability capability) {
    whole.lock();
    try {
      return work.apply(running(capability));
    } finally {
      whole.unlock();
    }
  }

  /** How often it was reset. */
  public long epoch() {
    epochs.readLock().lock();
    try {
      return epoch;
    } finally {
      epochs.readLock().unlock();
    }
  }

  /** Runs code that must not meet a later state of the sandbox; false when it was reset since. Never waits long. */
  public boolean inEpoch(long wanted, Runnable code) {
    epochs.readLock().lock();
    try {
      if (epoch != wanted) {
        return false;
      }
      code.run();
      return true;
    } finally {
      epochs.readLock().unlock();
    }
  }

  /** From here on no call reaches it, and what waits for its turn will not. */
  void resetBegins() {
    epochs.writeLock().lock();
    try {
      epoch++;
      resetting = true;
    } finally {
      epochs.writeLock().unlock();
    }
    resetAt(Times.now());
  }

  private synchronized void resetAt(Timestamp time) {
    record = record.toBuilder().setResetAt(time).build();
  }

  /** Calls reach it again. */
  void resetEnds() {
    resetting = false;
  }

  /** Whether commands can be sent right now, without waiting for anything but that it wakes up. */
  public boolean isRunning() {
    return handle != null && Lifecycle.takesCommands(state()) && !resetting;
  }

  /** How long it has stood still in all, nanoseconds. */
  public long pausedNanos() {
    return pauses.nanos();
  }

  /** It stands still from now on; FAILED_PRECONDITION when it has ended. */
  synchronized void paused() {
    move(SandboxState.SANDBOX_STATE_PAUSED);
    record = record.toBuilder().setPausedAt(Times.now()).build();
    pauses.begin();
    limits.pause(record.getSpec().getPausedLifetimeMillis());
  }

  /** It goes on, if it did not end. */
  synchronized void resumed() {
    long millis = TimeUnit.NANOSECONDS.toMillis(pauses.end());
    limits.resume();
    Sandbox.Builder next = record.toBuilder().clearPausedAt();
    if (record.hasLeaseUntil()) {
      next.setLeaseUntil(Times.timestamp(Times.millis(record.getLeaseUntil()) + millis));
    }
    record = next.setPausedMillis(record.getPausedMillis() + millis).build();
    tryMove(SandboxState.SANDBOX_STATE_RUNNING);
  }

  /** Whether it is not known yet if the sandbox survived a restart of the node. */
  public boolean adopting() {
    return adopting;
  }

  /** Counts a command as use of the sandbox until it ended, or could not be started. */
  public void usedWhile(CompletableFuture<?> started, CompletableFuture<?> ended) {
    limits.used();
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    var _ =
        started.whenComplete(
            (_, failure) -> {
              if (failure != null) {
                over.complete(false);
              }
            });
    var _ = ended.whenComplete((_, _) -> over.complete(true));
    var _ = over.thenRun(limits::unused);
  }

  /** When it must end. */
  TimeLimits limits() {
    return limits;
  }

  /** Whether it may be ended by a limit: it is not about to end, and it is known to be alive. */
  boolean endable() {
    return !adopting && Lifecycle.allows(state(), SandboxState.SANDBOX_STATE_STOPPING);
  }

  /** Completes when it is known whether the sandbox survived a restart of the node. */
  CompletableFuture<LiveSandbox> usable() {
    return usable;
  }

  /** Completes when its record says that it has ended. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  /** Completes when every trace is gone from the host. */
  CompletableFuture<Void> removed() {
    return removed;
  }

  /** Completes when somebody wants it gone: a creation under way gives up. */
  CompletableFuture<Void> stopAsked() {
    return stopAsked;
  }

  /** Begins its end, once; says whether this call did. */
  synchronized boolean stop(String reason) {
    if (!Lifecycle.allows(state(), SandboxState.SANDBOX_STATE_STOPPING)) {
      return false;
    }
    // Before the state, so that whoever sees that knows why.
    endReason = reason;
    return tryMove(SandboxState.SANDBOX_STATE_STOPPING);
  }

  /** Why somebody wanted it gone; empty if nobody did. */
  String endReason() {
    return endReason;
  }

  /** Lets its lease run anew from now, 0 leaves it as it is; LEASE_EXPIRED or FAILED_PRECONDITION when it has ended. */
  synchronized void renew(long millis) {
    if (!Lifecycle.allows(state(), SandboxState.SANDBOX_STATE_STOPPING)) {
      throw notRunning();
    }
    if (millis == 0) {
      return;
    }
    limits.renew(millis);
    record =
        record.toBuilder()
            .setLeaseUntil(Times.timestamp(System.currentTimeMillis() + millis))
            .build();
  }

  /** Keeps what to do when somebody asks again for a removal that failed. */
  void removalFailed(Runnable retry) {
    removalRetry = retry;
  }

  /** Takes what {@link #removalFailed} kept, once. */
  synchronized Optional<Runnable> retryRemoval() {
    Optional<Runnable> retry = Optional.ofNullable(removalRetry);
    removalRetry = null;
    return retry;
  }

  /** What it is made of. */
  public Stack stack() {
    return stack;
  }

  /** What it used since its latest reset until it ended; empty when that was not measured, or it lives. */
  public Optional<Usage> lastUsage() {
    dev.sandgate.spi.Sandbox last = handle;
    return last == null ? Optional.empty() : last.lastUsage();
  }

  /** Orders sandboxes by age. */
  long sequence() {
    return sequence;
  }

  /** The record with everything, the values of variables included. */
  public Sandbox secret() {
    return record;
  }

  /** The record as callers may see it. */
  Sandbox shown() {
    return Redacted.of(record);
  }

  dev.sandgate.spi.@Nullable Sandbox handle() {
    return handle;
  }

  void awaitAdoption() {
    adopting = true;
  }

  synchronized void started(dev.sandgate.spi.Sandbox running, long createMicros) {
    handle = running;
    move(SandboxState.SANDBOX_STATE_RUNNING);
    record = record.toBuilder().setReadyAt(Times.now()).setCreateMicros(createMicros).build();
    if (!adopting) {
      usable.complete(this);
    }
  }

  /** It is alive; requests still wait for {@link #adopted}. */
  void adopting(dev.sandgate.spi.Sandbox running) {
    handle = running;
  }

  void adopted() {
    limits.used();
    limits.unused();
    adopting = false;
    usable.complete(this);
  }

  /** Goes to another state, or FAILED_PRECONDITION. */
  synchronized void move(SandboxState next) {
    if (!tryMove(next)) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "sandbox %s is %s and cannot become %s"
              .formatted(id(), Lifecycle.word(state()), Lifecycle.word(next)));
    }
  }

  synchronized boolean tryMove(SandboxState next) {
    if (!Lifecycle.allows(state(), next)) {
      return false;
    }
    record = record.toBuilder().setState(next).build();
    return true;
  }

  /** Ends it, once; says whether this call did. */
  synchronized boolean end(SandboxState last, String reason, String detail) {
    if (!Lifecycle.allows(state(), last)) {
      return false;
    }
    record =
        record.toBuilder()
            .setState(last)
            .setEndedAt(Times.now())
            .setTermination(Termination.newBuilder().setReason(reason).setDetail(detail))
            .build();
    adopting = false;
    usable.complete(this);
    ended.complete(null);
    return true;
  }

  /** What its create call fails with when somebody, or a limit, ended it meanwhile. */
  SandgateException endedWhileMade(RuntimeException broken) {
    return Refusals.endedWhileMade(id(), endReason, broken);
  }

  SandgateException notRunning() {
    return Refusals.notRunning(record, endReason);
  }
}
