// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** How many of the last minute's requests found one; guarded by the pool's lock. */
final class HitRate {

  private static final int SECONDS = 60;
  private static final long LEAST_REQUESTS = 30;
  private static final double LOW = 0.9;
  private static final int SILENCE_SECONDS = 300;

  private final Deque<long[]> passed = new ArrayDeque<>();
  private long hits;
  private long misses;
  private long[] now = new long[2];
  private int silence;

  void hit() {
    hits++;
    now[0]++;
  }

  void miss() {
    misses++;
    now[1]++;
  }

  /** A second has passed; gives the rate when it has been low for a minute, but not again and again. */
  Optional<Double> second() {
    passed.addLast(now);
    now = new long[2];
    if (passed.size() > SECONDS) {
      long[] old = passed.removeFirst();
      hits -= old[0];
      misses -= old[1];
    }
    silence--;
    boolean low = passed.size() == SECONDS && hits + misses >= LEAST_REQUESTS && rate() < LOW;
    if (!low || silence > 0) {
      return Optional.empty();
    }
    silence = SILENCE_SECONDS;
    return Optional.of(rate());
  }

  /** From 0 to 1; 1 when there was no request. */
  double rate() {
    return hits + misses == 0 ? 1 : (double) hits / (hits + misses);
  }
}
