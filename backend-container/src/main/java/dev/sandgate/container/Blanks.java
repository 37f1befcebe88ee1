// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.support.Undo;
import dev.sandgate.support.spawner.Blank;

/** Who makes sandboxes without a root; what follows, their end included, is the same for all. */
@FunctionalInterface
interface Blanks {

  /**
   * Makes one; blocks.
   *
   * @param blank what is wanted
   * @param undo gets the way back
   * @return host pid of the agent, which listens
   */
  int make(Blank blank, Undo undo);
}
