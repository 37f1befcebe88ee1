// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import dev.sandgate.spi.Change;
import dev.sandgate.spi.Files.FileType;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Some entries of a directory that a sandbox wrote to.
 *
 * @param entries in no particular order
 * @param next position of the next page, or 0
 */
public record ChangesPage(List<Entry> entries, long next) {

  private static final FileType[] TYPES = FileType.values();
  private static final Change.Kind[] KINDS = Change.Kind.values();

  /** Freezes the list. */
  public ChangesPage {
    entries = List.copyOf(entries);
  }

  /**
   * One entry.
   *
   * @param name in the directory
   * @param kind how it differs; empty for a directory that is only on the way to a change
   * @param type what it is or was
   * @param emptied a directory whose former entries are gone
   * @param size of a regular file
   * @param changedNanos when it changed last
   */
  public record Entry(
      String name,
      Optional<Change.Kind> kind,
      FileType type,
      boolean emptied,
      long size,
      long changedNanos) {

    /** Whether there may be changes below it. */
    public boolean hasEntries() {
      return type == FileType.DIRECTORY && !kind.equals(Optional.of(Change.Kind.REMOVED));
    }
  }

  static ChangesPage read(FieldReader f) {
    int count = f.u16();
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String name = f.str();
      int kind = checked(f.u8(), KINDS.length + 1);
      Optional<Change.Kind> how = kind == 0 ? Optional.empty() : Optional.of(KINDS[kind - 1]);
      FileType type = TYPES[checked(f.u8(), TYPES.length)];
      entries.add(new Entry(name, how, type, f.u8() == 1, f.u64(), f.u64()));
    }
    ChangesPage page = new ChangesPage(entries, f.u64());
    f.end();
    return page;
  }

  private static int checked(int value, int limit) {
    if (value >= limit) {
      throw new MalformedFrameException("a value of " + value + ", at most " + (limit - 1));
    }
    return value;
  }
}
