// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

/** How many of one kind were wanted lately, second by second; guarded by the pool's lock. */
final class Demand {

  private static final double FADING = 0.9;
  private static final double NOTHING = 0.5;
  private static final int SECONDS_AHEAD = 2;
  private static final int KEEP_SECONDS = 600;

  private int thisSecond;
  private double rate;
  private int quietSeconds;

  /** A kind that is always kept has been wanted at no time yet; any other one is wanted now. */
  Demand(boolean always) {
    quietSeconds = always ? Integer.MIN_VALUE : 0;
  }

  void asked() {
    thisSecond++;
    quietSeconds = Math.min(quietSeconds, 0);
  }

  /** A second has passed. */
  void second() {
    rate = Math.max(thisSecond, rate * FADING);
    rate = rate < NOTHING ? 0 : rate;
    if (thisSecond == 0 && quietSeconds >= 0) {
      quietSeconds++;
    }
    thisSecond = 0;
  }

  /** How many are to be there. */
  int wanted(PoolBounds bounds) {
    int least = quietSeconds < KEEP_SECONDS ? bounds.min() : 0;
    double most = SECONDS_AHEAD * Math.max(thisSecond, rate);
    return (int) Math.clamp(Math.ceil(most), least, bounds.max());
  }

  /** Whether nobody wants it any more. */
  boolean isOver() {
    return quietSeconds >= KEEP_SECONDS;
  }
}
