// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * How much a snapshot may hold; more is refused and nothing is kept.
 *
 * @param bytes of all files as they are read, holes included; 0 for no limit
 * @param entries 0 for no limit
 */
public record SnapshotLimits(long bytes, long entries) {}
