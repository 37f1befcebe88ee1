// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.proxy;

/** Directions of a connection. */
public enum Way {
  /** From who connects to who listens. */
  UP,
  /** From who listens to who connects. */
  DOWN,
  /** Each. */
  BOTH;

  boolean includes(Way way) {
    return this == BOTH || this == way;
  }
}
