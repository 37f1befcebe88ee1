// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Reclaimed;
import dev.sandgate.support.spawner.Spawner;
import java.util.concurrent.Semaphore;

/** Gives memory of paused sandboxes to the host, few at a time: it costs CPU, and creates go first. */
final class Reclaims {

  private static final int AT_ONCE = 2;

  private final Spawner spawner;
  private final Semaphore turns = new Semaphore(AT_ONCE, true);

  Reclaims(Spawner spawner) {
    this.spawner = spawner;
  }

  /** Takes what can be taken; blocks. */
  Reclaimed of(String id) throws InterruptedException {
    turns.acquire();
    try {
      return spawner.reclaim(id);
    } finally {
      turns.release();
    }
  }
}
