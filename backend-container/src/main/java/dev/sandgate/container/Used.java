// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Usage;
import dev.sandgate.support.spawner.DiskRoom;
import dev.sandgate.support.spawner.SpawnerException;
import dev.sandgate.support.wire.Errno;

/** What a sandbox uses, as its cgroups say and, when that is limited, its disk. */
final class Used {

  private Used() {}

  /** Asks; blocks. */
  static Usage by(Host host, ContainerSandbox sandbox, ResourceLimits limits) {
    Usage usage = host.spawner().usage(sandbox.name());
    return limits.diskBytes() == 0 ? usage : withDisk(host, sandbox.id(), usage);
  }

  /** One that was made before the settings had a default has no limit; one that is ending has let go of its disk. */
  private static Usage withDisk(Host host, String id, Usage usage) {
    try {
      DiskRoom room = host.spawner().disk(Host.upper(id));
      return usage.withDisk(room.bytes(), room.inodes());
    } catch (SpawnerException e) {
      if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENODEV) {
        return usage;
      }
      throw e;
    }
  }
}
