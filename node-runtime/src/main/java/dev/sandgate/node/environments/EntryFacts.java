// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/** What the header of an archive's entry may say: only what a layer keeps as it is. */
final class EntryFacts {

  /** A sandbox has the ids from 0 to this one; a file of another one would be nobody's. */
  static final int MOST_ID = 65_535;

  /** What the library puts in the place of bytes that are no UTF-8; two such names would become one. */
  private static final char REPLACED = '\uFFFD';

  private EntryFacts() {}

  /** INVALID_ARGUMENT with the entry's name. */
  static void check(TarArchiveEntry entry) {
    String name = entry.getName();
    if (isReplaced(name)) {
      throw TarTree.bad(name, "its name is not UTF-8, or has U+FFFD in it; rename it");
    }
    if ((entry.isSymbolicLink() || entry.isLink()) && isReplaced(entry.getLinkName())) {
      throw TarTree.bad(name, "its link is not UTF-8, or has U+FFFD in it; make it anew");
    }
    if (!isId(entry.getLongUserId()) || !isId(entry.getLongGroupId())) {
      throw TarTree.bad(
          name,
          "its owner is %d:%d, and a sandbox has ids up to %,d; chown it"
              .formatted(entry.getLongUserId(), entry.getLongGroupId(), MOST_ID));
    }
  }

  /** Whether text was no UTF-8. */
  static boolean isReplaced(String text) {
    return text.indexOf(REPLACED) >= 0;
  }

  static boolean isId(long id) {
    return id >= 0 && id <= MOST_ID;
  }
}
