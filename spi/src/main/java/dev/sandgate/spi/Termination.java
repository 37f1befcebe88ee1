// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * Why a sandbox ended.
 *
 * @param reason the kind
 * @param detail for a human, may be empty
 */
public record Termination(Reason reason, String detail) {

  /** Kinds of ends. */
  public enum Reason {
    /** {@link Sandbox#destroy} was called. */
    DESTROYED,
    /** The guest ended itself. */
    GUEST,
    /** The channel to the guest broke or its agent stopped answering. */
    CHANNEL_LOST,
    /** The kernel killed the guest's own first process for memory. */
    OUT_OF_MEMORY,
    /** It did not survive a restart of the node. */
    LOST
  }
}
