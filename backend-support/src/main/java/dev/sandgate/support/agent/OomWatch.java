// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import io.smallrye.mutiny.Uni;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether the kernel killed something for memory while a command ran, by a counter outside the guest that is read
 * at the command's start and end.
 */
final class OomWatch {

  private static final Logger LOG = LoggerFactory.getLogger(OomWatch.class);

  private final GuestView view;
  private volatile long last;

  OomWatch(GuestView view) {
    this.view = view;
  }

  /**
   * Reads the counter; when that fails the last reading counts.
   *
   * @param link whose event loop this belongs to
   * @param answer gets the number of kills so far, once, on the event loop
   */
  void read(Link link, LongConsumer answer) {
    view.memoryKills()
        .subscribe()
        .with(
            kills ->
                link.execute(
                    () -> {
                      last = kills;
                      answer.accept(kills);
                    }),
            failure -> {
              LOG.debug("no reading of memory kills", failure);
              link.execute(() -> answer.accept(last));
            });
  }

  /** Whether the counter rose since it was last read: what else died than a command that was told. */
  Uni<Boolean> rose() {
    return view.memoryKills().map(kills -> kills > last);
  }
}
