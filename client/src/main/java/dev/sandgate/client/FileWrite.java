// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.WriteMode;

/**
 * How to write a file.
 *
 * @param writeMode what happens to a file that exists
 * @param permissions permission bits of a new file; 0: 0644
 * @param parents whether to make missing directories above it
 * @param offset position of the first byte; only with WRITE_MODE_RESUME
 */
public record FileWrite(WriteMode writeMode, int permissions, boolean parents, long offset) {

  /** Replaces what is there, makes missing directories, 0644. */
  public static final FileWrite REPLACE = new FileWrite(WriteMode.WRITE_MODE_TRUNCATE, 0, true, 0);

  /**
   * With other permission bits.
   *
   * @param bits for example 0755
   * @return a copy
   */
  public FileWrite withPermissions(int bits) {
    return new FileWrite(writeMode, bits, parents, offset);
  }
}
