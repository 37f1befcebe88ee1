// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.proto.v1.Sandbox;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Looks over all sandboxes: ends those whose time has come, tries removals again, forgets what ended long ago. */
final class Sweep {

  private static final int MOST_ENDED = 50_000;

  private final Registry registry;
  private final Reaper reaper;
  private final Consumer<LiveSandbox> forget;
  private final Duration retention;

  Sweep(Registry registry, Reaper reaper, Consumer<LiveSandbox> forget, Duration retention) {
    this.registry = registry;
    this.reaper = reaper;
    this.forget = forget;
    this.retention = retention;
  }

  void run(long nowMillis) {
    int ended = 0;
    for (LiveSandbox live : registry.newestFirst().values()) {
      Optional<Runnable> retry = live.retryRemoval();
      if (retry.isPresent()) {
        Blocking.background("removing " + live + " again", retry.get()::run);
      } else if (Lifecycle.ended(live.state())) {
        ended++;
        forgetOld(live, ended > MOST_ENDED, nowMillis);
      } else {
        reaper.check(live);
      }
    }
  }

  private void forgetOld(LiveSandbox live, boolean tooMany, long nowMillis) {
    Sandbox record = live.secret();
    if (tooMany || nowMillis - Times.millis(record.getEndedAt()) > retention.toMillis()) {
      forget.accept(live);
    }
  }
}
