// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.nio.file.Path;

/** Which paths a layer wrote, as hashes of 64 bits: archives have a million of them, each of up to some thousand bytes. */
final class WrittenPaths {

  private static final int FIRST = 1 << 10;
  private static final long BASIS = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private long[] slots = new long[FIRST];
  private int count;

  /** Whether it is among them. */
  boolean contains(Path path) {
    long hash = hash(path);
    return slots[slot(slots, hash)] == hash;
  }

  /** Adds it; false when it was among them. */
  boolean add(Path path) {
    long hash = hash(path);
    int slot = slot(slots, hash);
    if (slots[slot] == hash) {
      return false;
    }
    slots[slot] = hash;
    if (++count > slots.length / 2) {
      grow();
    }
    return true;
  }

  private void grow() {
    long[] larger = new long[slots.length * 2];
    for (long hash : slots) {
      if (hash != 0) {
        larger[slot(larger, hash)] = hash;
      }
    }
    slots = larger;
  }

  /** Where a hash is, or belongs. */
  private static int slot(long[] slots, long hash) {
    int at = (int) (hash ^ hash >>> 32) & slots.length - 1;
    while (slots[at] != 0 && slots[at] != hash) {
      at = at + 1 & slots.length - 1;
    }
    return at;
  }

  /** FNV-1a; 0 stands for no path. */
  private static long hash(Path path) {
    String text = path.toString();
    long hash = BASIS;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * PRIME;
    }
    return hash == 0 ? 1 : hash;
  }
}
