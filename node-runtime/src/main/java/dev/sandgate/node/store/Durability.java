// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.store;

/** What a committed change survives. */
public enum Durability {
  /** The end of the process, however it comes; power loss may cost the last second. */
  PROCESS,
  /** Power loss too: every commit waits for the disk. */
  POWER
}
