// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import io.smallrye.mutiny.Uni;

/** What the host sees of a guest from outside. */
@FunctionalInterface
public interface GuestView {

  /**
   * How many processes of the guest the kernel killed for memory.
   *
   * @return the number so far
   */
  Uni<Long> memoryKills();

  /**
   * Whether the agent is ready to run and gets no CPU, as in a best-effort sandbox on a full machine, waits in the kernel, as for
   * memory that comes back from swap, or is kept from running
   * while a snapshot is made: its silence says nothing then. Asked on an event loop, so it takes a few microseconds.
   *
   * @return false where nobody can tell
   */
  default boolean cannotAnswer() {
    return false;
  }
}
