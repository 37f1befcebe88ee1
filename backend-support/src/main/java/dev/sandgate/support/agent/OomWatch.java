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
  private long last;
  private volatile long explained;

  /** A watch whose count begins with what was killed so far. */
  OomWatch(GuestView view) {
    this.view = view;
    view.memoryKills()
        .subscribe()
        .with(this::explain, failure -> LOG.debug("no reading of memory kills", failure));
  }

  /** So many kills are known not to be the agent's: it lived afterwards, or a command was told. */
  void explain(long kills) {
    explained = Math.max(explained, kills);
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

  /** Whether more was killed than is explained: after the agent's end, the agent. */
  Uni<Boolean> rose() {
    return view.memoryKills().map(kills -> kills > explained);
  }
}
