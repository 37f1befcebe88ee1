// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.faults.FaultPoint;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.latencies.Latencies.Operation;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.waking.PauseGate;
import dev.sandgate.node.waking.WakingSandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Reclaimed;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets sandboxes stand still and go on (DSec §6.3): processes stop where they are, their memory goes to the host's swap, and
 * whoever asks something wakes the sandbox first, once.
 */
final class Pausing {

  private static final Logger LOG = LoggerFactory.getLogger(Pausing.class);
  private static final long ANSWERS_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FREEZE_MILLIS = 15_000;
  private static final long RECLAIM_MILLIS = 300_000;
  private static final long WRITE_MILLIS = 10_000;
  private static final Reclaimed NOTHING = new Reclaimed(0, 0);

  private final SandboxRows rows;
  private final Latencies latencies;
  private final ConcurrentHashMap<String, CompletableFuture<Void>> resumes =
      new ConcurrentHashMap<>();

  Pausing(SandboxRows rows, Latencies latencies) {
    this.rows = rows;
    this.latencies = latencies;
  }

  /** The sandbox as requests see it: one that wakes up. */
  Sandbox waking(LiveSandbox live, Sandbox sandbox) {
    return live.backend().backend().capabilities().contains(Capability.PAUSE)
        ? new WakingSandbox(sandbox, new PauseGate(() -> resumed(live)))
        : sandbox;
  }

  /**
   * Lets it stand still and gives its memory away; of one that does already only what is left. FAILED_PRECONDITION when it is
   * asked something that takes longer. Also when the caller leaves meanwhile: half a pause is none. Blocks.
   */
  Reclaimed pause(LiveSandbox live) {
    CompletableFuture<Reclaimed> done =
        Blocking.start(
            () -> {
              live.alone(
                  sandbox -> stop(live, (WakingSandbox) sandbox, () -> true), Capability.PAUSE);
              return reclaim(live);
            });
    return Blocking.await(done, RECLAIM_MILLIS + FREEZE_MILLIS + WRITE_MILLIS);
  }

  /**
   * The same for one that nobody has used for a while, unless somebody does now. A command that runs is a use, so none ever waits
   * in a sandbox that stands still. Blocks.
   */
  void rest(LiveSandbox live) {
    boolean stopped =
        live.alone(
            sandbox -> stop(live, (WakingSandbox) sandbox, live.limits()::isIdle),
            Capability.PAUSE);
    if (stopped) {
      LOG.info("sandbox {} is paused: nobody used it", live.id());
      reclaim(live);
    }
  }

  /** Completes when the sandbox goes on; one call does it, however many ask. */
  CompletableFuture<Void> resumed(LiveSandbox live) {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> first = resumes.putIfAbsent(live.id(), mine);
    if (first != null) {
      return first;
    }
    Blocking.background("resuming " + live.id(), () -> resume(live, mine));
    return mine;
  }

  private void resume(LiveSandbox live, CompletableFuture<Void> done) {
    try {
      live.alone(sandbox -> goOn(live, (WakingSandbox) sandbox), Capability.PAUSE);
      resumes.remove(live.id(), done);
      done.complete(null);
    } catch (RuntimeException e) {
      resumes.remove(live.id(), done);
      done.completeExceptionally(e);
    }
  }

  private boolean stop(LiveSandbox live, WakingSandbox sandbox, BooleanSupplier wanted) {
    if (live.state() == SandboxState.SANDBOX_STATE_PAUSED) {
      return false;
    }
    long begun = System.nanoTime();
    if (!sandbox.gate().shut(ANSWERS_NANOS)) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "sandbox %s is asked something that is not answered yet, as a transfer of files; try again when it is done"
              .formatted(live.id()));
    }
    if (!wanted.getAsBoolean()) {
      sandbox.gate().open();
      return false;
    }
    try {
      live.paused();
      standStill(live, sandbox);
      FaultPoint.AFTER_PAUSE.pass(live.id());
      latencies.done(Operation.PAUSE, begun);
      return true;
    } catch (RuntimeException e) {
      throw notStopped(live, sandbox, e);
    }
  }

  /**
   * Records it and does it side by side: of one that stands still and is not recorded the node does not know, but makes it go
   * on when it takes it back, as it does with all.
   */
  private void standStill(LiveSandbox live, Sandbox sandbox) {
    CompletableFuture<Void> recorded =
        rows.update(live).thenRun(() -> FaultPoint.AFTER_PAUSE_RECORD.pass(live.id()));
    Blocking.await(sandbox.pause(), FREEZE_MILLIS);
    Blocking.await(recorded, WRITE_MILLIS);
  }

  private RuntimeException notStopped(
      LiveSandbox live, WakingSandbox sandbox, RuntimeException why) {
    try {
      goOn(live, sandbox);
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
    return why;
  }

  /** Lets what is paused go on; the caller holds the sandbox alone. */
  boolean goOn(LiveSandbox live, WakingSandbox sandbox) {
    boolean paused = live.state() == SandboxState.SANDBOX_STATE_PAUSED;
    if (paused) {
      long begun = System.nanoTime();
      Blocking.await(sandbox.resume(), FREEZE_MILLIS);
      FaultPoint.AFTER_RESUME.pass(live.id());
      live.resumed();
      Blocking.report("recording that " + live.id() + " goes on", rows.update(live));
      latencies.done(Operation.RESUME, begun);
    }
    sandbox.gate().open();
    return paused;
  }

  /** One that goes on, or ends, meanwhile has nothing more to give. */
  private Reclaimed reclaim(LiveSandbox live) {
    long begun = System.nanoTime();
    try {
      Reclaimed reclaimed = Blocking.await(live.running().reclaim(), RECLAIM_MILLIS);
      latencies.done(Operation.RECLAIM, begun);
      return reclaimed;
    } catch (SandgateException e) {
      LOG.warn("sandbox {} keeps its memory: {}", live, e.getMessage());
      return NOTHING;
    }
  }

  /**
   * It was paused when the node ended, and its backend made it go on to find it. It stands still again before anybody is let in:
   * a command that began before that would stand still with it, and nobody would wake it. Blocks.
   */
  void again(LiveSandbox live) {
    try {
      boolean _ =
          live.alone(sandbox -> stop(live, (WakingSandbox) sandbox, () -> true), Capability.PAUSE);
      Blocking.background("taking the memory of " + live.id(), () -> reclaim(live));
    } catch (RuntimeException e) {
      LOG.warn("sandbox {} was paused and goes on", live, e);
    }
  }
}
