// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.seed;

import dev.sandgate.load.chaos.check.Plan;
import dev.sandgate.proto.v1.Command;

/**
 * A command and how its caller behaves.
 *
 * @param plan what it is to do
 * @param command how the platform is told
 * @param habit how its caller behaves
 */
public record Order(Plan plan, Command command, Habit habit) {

  /** Behaviours of callers. */
  public enum Habit {
    /** Reads what comes; output comes all the time. */
    LISTENS,
    /** Reads what comes. */
    READS,
    /** Reads an event now and then. */
    DAWDLES,
    /** Stops reading for a while. */
    PAUSES,
    /** Leaves on the way, and comes back with another client. */
    LEAVES,
    /** Writes to stdin what is to come back. */
    FEEDS,
    /** Kills it when something came. */
    KILLS,
    /** Asks once for everything. */
    ASKS
  }
}
