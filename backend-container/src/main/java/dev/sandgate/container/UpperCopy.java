// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.support.spawner.SpawnerException;
import dev.sandgate.support.spawner.Staged;
import dev.sandgate.support.wire.Errno;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of a sandbox's upper directory, which the spawner made and keeps.
 *
 * @param host whose spawner
 * @param name of the copy
 * @param staged what was copied
 */
record UpperCopy(Host host, String name, Staged staged) implements DiskSnapshot {

  private static final Logger LOG = LoggerFactory.getLogger(UpperCopy.class);
  private static final int NAME_LENGTH = 18;

  static String freshName() {
    return "s-" + UUID.randomUUID().toString().substring(0, NAME_LENGTH);
  }

  /** Makes one, and another one when the spawner ended meanwhile; blocks. */
  static UpperCopy of(
      Host host, ContainerSandbox sandbox, SnapshotLimits limits, boolean stoodStill) {
    String name = freshName();
    try {
      return of(host, sandbox, name, limits);
    } catch (SpawnerException e) {
      if (!e.isUnreachable() && e.errno() != Errno.EEXIST) {
        throw e;
      }
      LOG.warn("the copy of what {} wrote is made again", sandbox.id(), e);
      host.spawner().discard(name);
      host.spawner().freeze(sandbox.name(), stoodStill); // the spawner that ended had stopped it
      return of(host, sandbox, freshName(), limits);
    }
  }

  private static UpperCopy of(
      Host host, ContainerSandbox sandbox, String name, SnapshotLimits limits) {
    String upper = Host.upper(sandbox.id());
    return new UpperCopy(host, name, host.spawner().stage(sandbox.name(), upper, name, limits));
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
