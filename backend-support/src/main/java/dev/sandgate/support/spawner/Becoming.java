// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import dev.sandgate.support.wire.FieldWriter;
import org.jspecify.annotations.Nullable;

/**
 * What a blank learns that was made before its sandbox was known.
 *
 * @param id of the sandbox
 * @param limits what it may use, when that is not what it was made with; its id and class do not count
 */
public record Becoming(String id, @Nullable Blank limits) {

  void write(FieldWriter fields) {
    fields.str(id).u8(limits == null ? 0 : 1);
    if (limits != null) {
      fields.u32(limits.cpuMillis()).u64(limits.memoryBytes()).u32(limits.pids());
    }
  }
}
