// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** When something died, when the platform was whole again, and how long streams were silent. Thread-safe. */
final class Timeline {

  private final List<Long> deaths = new CopyOnWriteArrayList<>();
  private final AtomicLong whole = new AtomicLong(System.nanoTime());
  private final AtomicLong longestSilence = new AtomicLong();
  private final AtomicLong longestRecovery = new AtomicLong();

  /** A process that commands depend on was killed now. */
  void died() {
    deaths.add(System.nanoTime());
  }

  /** Whether one was since then. */
  boolean diedSince(long nanos) {
    return deaths.stream().anyMatch(death -> death >= nanos);
  }

  /** Nothing is in the way of new connections after so long. */
  void wholeAfter(Duration length) {
    whole.accumulateAndGet(System.nanoTime() + length.toNanos(), Math::max);
  }

  /** A stream that should speak all the time speaks now, and did so last then. */
  void heard(long lastNanos) {
    long now = System.nanoTime();
    longestSilence.accumulateAndGet(now - lastNanos, Math::max);
    long since = whole.get();
    if (since > lastNanos && now > since) {
      longestRecovery.accumulateAndGet(now - since, Math::max);
    }
  }

  double longestSilenceSeconds() {
    return longestSilence.get() / 1e9;
  }

  double longestRecoverySeconds() {
    return longestRecovery.get() / 1e9;
  }
}
