// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.support.spawner.Staged;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/**
 * A copy of a sandbox's upper directory, which the spawner made and keeps.
 *
 * @param host whose spawner
 * @param name of the copy
 * @param staged what was copied
 */
record UpperCopy(Host host, String name, Staged staged) implements DiskSnapshot {

  private static final int NAME_LENGTH = 18;

  static String freshName() {
    return "s-" + UUID.randomUUID().toString().substring(0, NAME_LENGTH);
  }

  /** Makes one; blocks. */
  static UpperCopy of(Host host, String id, SnapshotLimits limits) {
    String name = freshName();
    return new UpperCopy(host, name, host.spawner().stage(id, Host.upper(id), name, limits));
  }

  @Override
  public Path tree() {
    return host.staging(name);
  }

  @Override
  public long entries() {
    return staged.entries();
  }

  @Override
  public long bytes() {
    return staged.bytes();
  }

  @Override
  public long skipped() {
    return staged.skipped();
  }

  @Override
  public Duration frozen() {
    return staged.frozen();
  }

  @Override
  public void close() {
    host.spawner().discard(name);
  }
}
