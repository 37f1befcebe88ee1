// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * Absolute positions in the outputs of one exec, in bytes from its start.
 *
 * @param stdout in stdout, or in the terminal's output
 * @param stderr in stderr
 */
public record OutputOffsets(long stdout, long stderr) {

  /** The beginning. */
  public static final OutputOffsets START = new OutputOffsets(0, 0);
}
