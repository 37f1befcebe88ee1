// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

/**
 * How the cap of one command is shared: an eighth is the tail of each stream, the rest goes to the heads, first come first
 * served. What a head leaves because it ended early, its tail takes. Guarded by its record's lock.
 */
final class HeadRoom {

  private static final int TAIL_SHARE = 8;

  private final long tail;
  private long left;

  HeadRoom(long cap, long leastTail) {
    long share = cap / TAIL_SHARE;
    this.tail = Math.max(share, leastTail);
    this.left = cap - 2 * share;
  }

  /** Takes room for as many bytes of a head as there is, up to so many. */
  int take(int most) {
    int taken = (int) Math.min(most, left);
    left -= taken;
    return taken;
  }

  /** Counts a head that an earlier process recorded. */
  void taken(long bytes) {
    left = Math.max(0, left - bytes);
  }

  /** The size of a tail. */
  long tail() {
    return tail;
  }

  /** The size of the tail of a head that ended early. */
  long tailWithTheRest() {
    long all = tail + left;
    left = 0;
    return all;
  }
}
