// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * How much a snapshot may hold; more is refused as FAILED_PRECONDITION, with the limit that was met as its field, and nothing is
 * kept.
 *
 * @param bytes of all files as they are read, holes included; 0 for no limit
 * @param entries 0 for no limit
 */
public record SnapshotLimits(long bytes, long entries) {

  /** The field of a refusal for its bytes. */
  public static final String BYTES = "rules.max_bytes";

  /** The field of a refusal for its entries. */
  public static final String ENTRIES = "rules.max_entries";
}
