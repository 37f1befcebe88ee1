// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.support.Undo;
import dev.sandgate.support.spawner.Blank;

/** Who makes sandboxes without a root; what follows is the same for all. */
interface Blanks {

  /**
   * Makes one; blocks.
   *
   * @param blank what is wanted
   * @param undo gets the way back
   * @return host pid of the agent, which listens
   */
  int make(Blank blank, Undo undo);

  /**
   * Removes what the maker of a blank keeps apart from what the spawner knows; idempotent, blocks.
   *
   * @param id of the sandbox
   */
  void forget(String id);
}
