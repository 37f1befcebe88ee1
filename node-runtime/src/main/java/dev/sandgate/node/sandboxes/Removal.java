// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_FAILED;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_STOPPING;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_TERMINATED;

import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.sandboxes.TimeLimits.Limit;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Termination;
import dev.sandgate.spi.Termination.Reason;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends sandboxes: when asked to, when they end by themselves, when they could not be made. */
final class Removal {

  private static final Logger LOG = LoggerFactory.getLogger(Removal.class);
  private static final long DESTROY_MILLIS = 30_000;
  static final String DELETED = "SANDBOX_DELETED";
  static final String LOST = "SANDBOX_LOST";

  private final Registry registry;
  private final SandboxRows rows;
  private final Environments environments;
  private final List<SandboxListener> listeners = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  Removal(Registry registry, SandboxRows rows, Environments environments) {
    this.registry = registry;
    this.rows = rows;
    this.environments = environments;
  }

  /** From here on ends are not recorded: what breaks now breaks because the node goes. */
  void close() {
    closed = true;
  }

  void listen(SandboxListener listener) {
    listeners.add(listener);
  }

  List<SandboxListener> listeners() {
    return listeners;
  }

  /**
   * Removes a sandbox and returns when nothing is left; concurrent calls share the work. Blocks.
   *
   * @param reason DELETED, or the limit that ends it
   * @param detail for a human
   * @return whether it lived
   */
  boolean remove(LiveSandbox live, String reason, String detail) {
    boolean first = live.stop(reason);
    if (!first && live.state() != SANDBOX_STATE_STOPPING) {
      return false;
    }
    live.stopAsked().complete(null);
    if (first) {
      String killReason = Limit.names(reason) ? reason : DELETED;
      listeners.forEach(listener -> listener.ending(live, killReason));
      Blocking.background("removing " + live, () -> stop(live, reason, detail));
    } else {
      live.retryRemoval().ifPresent(Runnable::run);
    }
    Blocking.await(live.removed(), DESTROY_MILLIS + 5_000);
    return true;
  }

  /** Ends the record of a sandbox whose guest or channel ends it. */
  void watch(LiveSandbox live, dev.sandgate.spi.Sandbox running) {
    running
        .terminated()
        .subscribe()
        .with(
            end -> Blocking.background("ending " + live, () -> endedByItself(live, running, end)),
            failure -> LOG.error("sandbox {}: its end cannot be watched", live, failure));
  }

  /** Takes back what a failed creation registered. */
  void createFailed(LiveSandbox live, SandgateException failure) {
    boolean asked = live.stopAsked().isDone();
    boolean ended =
        asked
            ? live.end(SANDBOX_STATE_TERMINATED, live.endReason(), "while it was being made")
            : live.end(SANDBOX_STATE_FAILED, "CREATE_FAILED", Failures.message(failure));
    if (ended) {
      finish(live);
    }
  }

  /** Records that a sandbox did not survive a restart. */
  void lost(LiveSandbox live, String detail) {
    listeners.forEach(listener -> listener.ending(live, LOST));
    if (live.end(SANDBOX_STATE_FAILED, Reason.LOST.name(), detail)) {
      finish(live);
    }
  }

  /** Records that a restart finished a removal that was under way. */
  void finished(LiveSandbox live) {
    if (live.end(
        SANDBOX_STATE_TERMINATED, "DELETED", "the removal ended with a restart of the node")) {
      finish(live);
    }
  }

  void destroy(dev.sandgate.spi.Sandbox sandbox) {
    Blocking.await(sandbox.destroy(), DESTROY_MILLIS);
  }

  /** Removes what was made for somebody who had left. */
  void unwanted(LiveSandbox live, dev.sandgate.spi.Sandbox late) {
    Blocking.background("removing what came too late for " + live, () -> destroy(late));
  }

  private boolean stop(LiveSandbox live, String reason, String detail) {
    dev.sandgate.spi.Sandbox handle = live.handle();
    if (handle == null) {
      return false;
    }
    try {
      destroy(handle);
    } catch (RuntimeException e) {
      LOG.error("sandbox {} could not be removed; it stays STOPPING and is tried again", live, e);
      live.removalFailed(() -> stop(live, reason, detail));
      return false;
    }
    SandboxState last =
        reason.equals(Reset.FAILED) ? SANDBOX_STATE_FAILED : SANDBOX_STATE_TERMINATED;
    if (live.end(last, reason, detail)) {
      finish(live);
    }
    return true;
  }

  private boolean endedByItself(
      LiveSandbox live, dev.sandgate.spi.Sandbox running, Termination end) {
    if (closed || end.reason() == Reason.DESTROYED || live.state() == SANDBOX_STATE_STOPPING) {
      return false;
    }
    SandboxState last =
        end.reason() == Reason.GUEST ? SANDBOX_STATE_TERMINATED : SANDBOX_STATE_FAILED;
    listeners.forEach(listener -> listener.ending(live, LOST));
    if (!live.end(last, end.reason().name(), end.detail())) {
      return false;
    }
    LOG.info("sandbox {} ended: {} {}", live, end.reason(), end.detail());
    listeners.forEach(listener -> listener.ended(live));
    clear(live, running);
    finish(live);
    return true;
  }

  /** Removes what an ended sandbox left; tried again later when that fails. */
  private void clear(LiveSandbox live, dev.sandgate.spi.Sandbox running) {
    try {
      destroy(running);
    } catch (RuntimeException e) {
      LOG.error("sandbox {} ended; its remains are tried again to be removed", live, e);
      live.removalFailed(() -> clear(live, running));
    }
  }

  private void finish(LiveSandbox live) {
    environments.unuse(live.stack(), live.id());
    registry.commitments().free(live.secret().getSpec().getLimits());
    Blocking.report("recording the end of " + live, rows.update(live));
    listeners.forEach(listener -> listener.ended(live));
    listeners.forEach(listener -> listener.removed(live));
    live.removed().complete(null);
  }
}
