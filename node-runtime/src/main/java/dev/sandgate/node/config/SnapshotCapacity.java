// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.Map;

/**
 * How much one snapshot may hold.
 *
 * @param bytes of its files, holes included
 * @param entries in its tree
 */
public record SnapshotCapacity(long bytes, long entries) {

  private static final long BYTES = 16L << 30;
  private static final long ENTRIES = 1_000_000;

  /** Checks. */
  public SnapshotCapacity {
    check(bytes > 0, "node.snapshot-bytes");
    check(entries > 0, "node.snapshot-entries");
  }

  /** Reads {@code node.snapshot-bytes} and {@code node.snapshot-entries}. */
  public static SnapshotCapacity of(Map<String, String> settings) {
    return new SnapshotCapacity(
        number(settings, "node.snapshot-bytes", BYTES),
        number(settings, "node.snapshot-entries", ENTRIES));
  }

  private static long number(Map<String, String> settings, String key, long otherwise) {
    String value = settings.get(key);
    if (value == null) {
      return otherwise;
    }
    check(value.matches("\\d{1,18}"), key);
    return Long.parseLong(value);
  }

  private static void check(boolean good, String key) {
    if (!good) {
      throw new SandgateException(
          ErrorCode.INVALID_CONFIG, key, key + ": give a whole number, 1 or more", null);
    }
  }
}
