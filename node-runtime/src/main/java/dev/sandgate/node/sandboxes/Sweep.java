// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.proto.v1.Sandbox;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Looks over all sandboxes: ends those whose lifetime is over, forgets those that ended long ago. */
final class Sweep {

  private final Registry registry;
  private final Removal removal;
  private final Consumer<LiveSandbox> forget;
  private final Duration retention;

  Sweep(Registry registry, Removal removal, Consumer<LiveSandbox> forget, Duration retention) {
    this.registry = registry;
    this.removal = removal;
    this.forget = forget;
    this.retention = retention;
  }

  void run(long nowMillis) {
    for (LiveSandbox live : registry.newestFirst().values()) {
      Sandbox record = live.secret();
      Optional<Runnable> retry = live.retryRemoval();
      if (retry.isPresent()) {
        Blocking.background("removing " + live + " again", retry.get()::run);
      } else if (Lifecycle.ended(record.getState())) {
        if (nowMillis - millis(record.getEndedAt()) > retention.toMillis()) {
          forget.accept(live);
        }
      } else if (expired(record, nowMillis) && !live.adopting()) {
        Blocking.background(
            "removing " + live + " at the end of its lease", () -> removal.remove(live, "LEASE"));
      }
    }
  }

  private static boolean expired(Sandbox record, long nowMillis) {
    long lifetime = record.getSpec().getLifetimeMillis();
    return lifetime > 0 && nowMillis - millis(record.getCreatedAt()) > lifetime;
  }

  private static long millis(Timestamp time) {
    return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
  }
}
