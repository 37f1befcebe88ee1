// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

/**
 * How what a sandbox writes is bounded.
 *
 * @param bytes it may write, 0 for no limit
 * @param template of its file system, in {@code uppers/.templates}; empty without a limit
 * @param reserved whether the host's disk has room for all of it from the beginning
 */
public record DiskBound(long bytes, String template, boolean reserved) {

  /** No limit. */
  public static final DiskBound NONE = new DiskBound(0, "", false);
}
