// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.support.spawner.ChangesPage;
import dev.sandgate.support.spawner.ChangesPage.Entry;
import dev.sandgate.support.spawner.Spawner;
import java.util.ArrayList;
import java.util.List;

/**
 * What is written in a worker's root, seen from outside: equal when nothing was written in between.
 *
 * @param entries with their paths and times, in the order found
 * @param whole whether these are all: of one with many, nobody can tell what came later
 */
record Writes(List<Line> entries, boolean whole) {

  private static final int MOST = 200;

  /**
   * One entry.
   *
   * @param directory it is in
   * @param entry the entry
   */
  record Line(String directory, Entry entry) {}

  /** Reads them; blocks. */
  static Writes of(Guest guest) {
    List<Line> lines = new ArrayList<>();
    boolean whole = collect(guest, "", lines);
    return new Writes(List.copyOf(lines), whole);
  }

  private static boolean collect(Guest guest, String directory, List<Line> lines) {
    Spawner spawner = guest.host().spawner();
    long position = 0;
    do {
      ChangesPage page =
          spawner.changes(Host.upper(guest.id()), guest.layers(), directory, position);
      for (Entry entry : page.entries()) {
        lines.add(new Line(directory, entry));
        String path = directory.isEmpty() ? entry.name() : directory + "/" + entry.name();
        if (lines.size() > MOST || (entry.hasEntries() && !collect(guest, path, lines))) {
          return false;
        }
      }
      position = page.next();
    } while (position != 0);
    return true;
  }

  /** Whether nothing was written since. */
  boolean isSameAs(Writes later) {
    return whole && equals(later);
  }
}
