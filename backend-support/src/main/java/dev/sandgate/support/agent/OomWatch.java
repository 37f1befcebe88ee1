// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether the kernel killed something for memory while a command ran, by a counter outside the guest. The counter
 * is read only after commands that did not succeed; a kill that a successful command hid counts for the next reading.
 */
final class OomWatch {

  private static final Logger LOG = LoggerFactory.getLogger(OomWatch.class);

  private final Supplier<Uni<Long>> counter;
  private final AtomicLong seen = new AtomicLong();

  OomWatch(Supplier<Uni<Long>> counter) {
    this.counter = counter;
  }

  /** The last reading. */
  long seen() {
    return seen.get();
  }

  /** A reading that somebody else took. */
  void saw(long kills) {
    seen.accumulateAndGet(kills, Math::max);
  }

  /**
   * Answers once, on any thread.
   *
   * @param before the reading when the command started
   * @param failed whether it did not succeed
   * @param answer whether there were more kills since
   */
  void killedSince(long before, boolean failed, Consumer<Boolean> answer) {
    if (!failed) {
      answer.accept(false);
      return;
    }
    counter
        .get()
        .subscribe()
        .with(
            kills -> {
              saw(kills);
              answer.accept(kills > before);
            },
            failure -> {
              LOG.warn(
                  "no reading of memory kills; a command is reported as not killed for memory",
                  failure);
              answer.accept(false);
            });
  }
}
