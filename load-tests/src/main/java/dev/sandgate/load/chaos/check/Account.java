// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that was seen of one command.
 *
 * @param plan what it was to do
 * @param live what its caller saw while it ran
 * @param later what somebody saw who asked for all of it afterwards; null when nobody could ask
 * @param nodeDied whether the node, or its sandbox, was killed while it was under way
 */
public record Account(Plan plan, Transcript live, @Nullable Transcript later, boolean nodeDied) {

  List<Transcript> readings() {
    return later == null ? List.of(live) : List.of(live, later);
  }

  boolean acknowledged() {
    return readings().stream().anyMatch(Transcript::acknowledged);
  }
}
