// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

/** Something made ahead. */
public interface Spare {

  /** Whether it can still be used; does not block. */
  boolean isUsable();

  /** What it takes of the host's memory, measured when it was made. */
  long memoryBytes();

  /** Removes it; blocks. What goes wrong is for it to tell. */
  void destroy();
}
