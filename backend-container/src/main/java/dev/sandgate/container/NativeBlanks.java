// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.support.Undo;
import dev.sandgate.support.spawner.Blank;
import dev.sandgate.support.spawner.Spawner;

/** Blanks that the spawner makes itself. */
record NativeBlanks(Spawner spawner) implements Blanks {

  @Override
  public int make(Blank blank, Undo undo) {
    undo.push("blank " + blank.id(), () -> spawner.destroy(blank.id(), ""));
    return spawner.create(blank);
  }
}
