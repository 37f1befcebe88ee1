// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.Functions.PoolCounts;

/** What a pool did so far; guarded by its lock. */
final class Tally {

  private long calls;
  private long warm;
  private long made;
  private long reused;
  private long dirty;
  private long exhausted;

  /** A call got a worker, or the right to make one. */
  void called(boolean wasThere) {
    calls++;
    warm += wasThere ? 1 : 0;
  }

  void made() {
    made++;
  }

  void reused() {
    reused++;
  }

  void dirty() {
    dirty++;
  }

  void exhausted() {
    exhausted++;
  }

  PoolCounts counts(int busy, int idle) {
    return new PoolCounts(calls, warm, made, reused, dirty, exhausted, busy, idle);
  }
}
