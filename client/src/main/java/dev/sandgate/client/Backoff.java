// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.client.rpc.RpcLane;
import java.time.Duration;

/** Spaces out attempts to attach again until their time is over. Used on one event loop. */
final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final Duration budget;
  private Duration spent = Duration.ZERO;
  private Duration next = FIRST;

  Backoff(Duration budget) {
    this.budget = budget;
  }

  /** Whether an attempt was scheduled; false when the time is over. */
  boolean again(RpcLane lane, Runnable attempt) {
    if (spent.compareTo(budget) >= 0) {
      return false;
    }
    lane.schedule(next, attempt);
    spent = spent.plus(next);
    next = next.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST : next.multipliedBy(2);
    return true;
  }

  void reset() {
    spent = Duration.ZERO;
    next = FIRST;
  }
}
