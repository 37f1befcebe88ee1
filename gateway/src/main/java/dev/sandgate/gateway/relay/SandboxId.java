// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import org.jspecify.annotations.Nullable;

/** Reads sandbox ids: {@code sb-<node>-<random>}, each part of [a-z0-9]. */
public final class SandboxId {

  private static final String PREFIX = "sb-";
  private static final int MAX_NODE = 20;
  private static final int MAX_RANDOM = 40;

  private SandboxId() {}

  /** The node's id in a sandbox's id, or null if this is none. */
  public static @Nullable String node(String id) {
    int dash = id.indexOf('-', PREFIX.length());
    if (!id.startsWith(PREFIX) || dash < 0) {
      return null;
    }
    boolean whole =
        part(id, PREFIX.length(), dash, MAX_NODE) && part(id, dash + 1, id.length(), MAX_RANDOM);
    return whole ? id.substring(PREFIX.length(), dash) : null;
  }

  private static boolean part(String id, int from, int to, int most) {
    for (int i = from; i < to; i++) {
      char c = id.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
        return false;
      }
    }
    return to > from && to - from <= most;
  }
}
