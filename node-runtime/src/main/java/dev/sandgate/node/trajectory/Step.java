// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.trajectory;

import dev.sandgate.proto.v1.TrajectoryEntry;

/**
 * A command as it was recorded.
 *
 * @param entry with its result, when there is one
 * @param endedMillis when the result was recorded, or 0
 */
public record Step(TrajectoryEntry entry, long endedMillis) {

  /** Whether its result is recorded. */
  public boolean ended() {
    return endedMillis != 0;
  }
}
