// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.environments.SnapshotLayers;
import dev.sandgate.node.environments.SnapshotLayers.Name;
import dev.sandgate.node.environments.SnapshotLayers.Sealed;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SnapshotLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The making of one snapshot, step by step; what is made appears whole or not at all. Blocks. */
final class Sealing {

  private static final long COPY_MILLIS = 120_000;

  private final SnapshotLayers layers;
  private final Quiet quiet;
  private final Path work;
  private final LiveSandbox sandbox;
  private final Wanted wanted;
  private final long begun = System.nanoTime();

  /**
   * What is asked for.
   *
   * @param name to publish under
   * @param rules for what is in it
   * @param allowRunning whether commands may run
   */
  record Wanted(Name name, Rules rules, boolean allowRunning) {}

  Sealing(SnapshotLayers layers, Quiet quiet, Path work, LiveSandbox sandbox, Wanted wanted) {
    this.layers = layers;
    this.quiet = quiet;
    this.work = work;
    this.sandbox = sandbox;
    this.wanted = wanted;
  }

  Snapshot run() throws IOException {
    layers.requireFree(wanted.name());
    layers.requireRoom(sandbox.stack());
    layers.hold(sandbox.stack());
    try (DiskSnapshot copy = copy()) {
      long scrubbed = Scrub.apply(copy.tree(), wanted.rules());
      Sealed sealed = seal(copy);
      Environment made = layers.publish(sealed, wanted.name(), "snapshot:" + sandbox.id());
      return record(made, sealed, copy).setScrubbed(scrubbed).build();
    } finally {
      layers.release(sandbox.stack());
    }
  }

  private DiskSnapshot copy() {
    return wanted.allowRunning() ? copyNow() : copyQuiet();
  }

  private DiskSnapshot copyNow() {
    SnapshotLimits wanted = this.wanted.rules().limits();
    try (DiskReserve.Share share = layers.affordable(wanted)) {
      return copyNow(new SnapshotLimits(Math.max(1, share.bytes()), wanted.entries()));
    }
  }

  private DiskSnapshot copyNow(SnapshotLimits most) {
    try {
      return sandbox.alone(
          running -> Blocking.await(running.snapshot(most), COPY_MILLIS), Capability.DISK_SNAPSHOT);
    } catch (SandgateException e) {
      boolean reserved =
          e.field().equals(SnapshotLimits.BYTES) && most.bytes() < wanted.rules().limits().bytes();
      throw reserved ? SnapshotLayers.unaffordable(e) : e;
    }
  }

  private DiskSnapshot copyQuiet() {
    long until = quiet.require(sandbox.id());
    DiskSnapshot copy = copyNow();
    try {
      quiet.requireSince(sandbox.id(), until);
      return copy;
    } catch (RuntimeException e) {
      copy.close();
      throw e;
    }
  }

  private Sealed seal(DiskSnapshot copy) throws IOException {
    Path place = Files.createDirectories(work.resolve(UUID.randomUUID().toString()));
    try {
      return layers.seal(copy, place, sandbox.stack(), sandbox.backend().backend());
    } finally {
      Files.deleteIfExists(place.resolve("image.erofs"));
      Files.delete(place);
    }
  }

  private Snapshot.Builder record(Environment made, Sealed sealed, DiskSnapshot copy) {
    return Snapshot.newBuilder()
        .setEnvironment(made)
        .setParentDigest(sandbox.stack().environment())
        .setParentName(sandbox.stack().name())
        .setSandboxId(sandbox.id())
        .putAllLabels(sandbox.labels())
        .setManifestDigest(sealed.manifest().digest())
        .setEntries(sealed.manifest().entries())
        .setContentBytes(sealed.manifest().bytes())
        .setSkipped(copy.skipped())
        .setFrozenMillis(copy.frozen().toMillis())
        .setSealMillis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun))
        .setCreatedAt(made.getCreatedAt());
  }
}
