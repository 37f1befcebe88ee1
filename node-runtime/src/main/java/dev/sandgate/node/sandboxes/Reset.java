// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.faults.FaultPoint;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.waking.WakingSandbox;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Usage;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Returns sandboxes to their environment's state in place. */
final class Reset {

  private static final Logger LOG = LoggerFactory.getLogger(Reset.class);
  private static final long RESET_MILLIS = 60_000;
  private static final long WRITE_MILLIS = 10_000;
  static final String REASON = "SANDBOX_RESET";
  static final String FAILED = "RESET_FAILED";

  private final Removal removal;
  private final SandboxRows rows;
  private final Pausing pausing;

  Reset(Removal removal, SandboxRows rows, Pausing pausing) {
    this.removal = removal;
    this.rows = rows;
    this.pausing = pausing;
  }

  /** Does it, also when the caller leaves meanwhile: half a reset is none. Blocks. */
  void run(LiveSandbox live) {
    live.backend().require(Capability.RESET);
    CompletableFuture<String> done =
        Blocking.start(
            () ->
                live.alone(
                    running -> {
                      reset(live, running);
                      return REASON;
                    },
                    Capability.RESET));
    Blocking.await(done, RESET_MILLIS + 5_000);
  }

  private void reset(LiveSandbox live, dev.sandgate.spi.Sandbox running) {
    live.resetBegins();
    try {
      removal.listeners().forEach(listener -> listener.ending(live, REASON));
      Blocking.await(rows.update(live), WRITE_MILLIS);
      Optional<Usage> used = Blocking.await(running.reset(), RESET_MILLIS);
      FaultPoint.AFTER_RESET.pass(live.id());
      removal.listeners().forEach(listener -> listener.reset(live, used));
      if (running instanceof WakingSandbox paused) {
        pausing.goOn(live, paused);
      }
      live.resetEnds();
    } catch (RuntimeException e) {
      failed(live, e);
      throw e;
    }
  }

  /** What could not be reset is not what it was either. */
  private void failed(LiveSandbox live, RuntimeException why) {
    LOG.error("sandbox {} could not be reset and is removed", live, why);
    String detail = String.valueOf(why.getMessage());
    Blocking.background("removing " + live, () -> removal.remove(live, FAILED, detail));
  }
}
