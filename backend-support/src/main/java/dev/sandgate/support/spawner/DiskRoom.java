// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import dev.sandgate.support.wire.FieldReader;

/**
 * How full the upper directory of a limited sandbox is; what the platform itself needs is left out.
 *
 * @param bytes used
 * @param mostBytes it can hold
 * @param inodes used
 * @param mostInodes it can hold
 */
public record DiskRoom(long bytes, long mostBytes, long inodes, long mostInodes) {

  static DiskRoom read(FieldReader f) {
    return new DiskRoom(f.u64(), f.u64(), f.u64(), f.u64());
  }
}
