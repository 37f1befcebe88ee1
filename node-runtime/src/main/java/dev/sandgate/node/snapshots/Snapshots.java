// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import dev.sandgate.node.checks.EnvironmentName;
import dev.sandgate.node.config.SnapshotCapacity;
import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.environments.SnapshotLayers;
import dev.sandgate.node.environments.SnapshotLayers.Listed;
import dev.sandgate.node.environments.SnapshotLayers.Name;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.latencies.Latencies.Operation;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotHistory;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The snapshots of this node; blocking code on virtual threads. */
public final class Snapshots {

  private static final long SETTLE_MILLIS = 16_000;

  private final Parts parts;
  private final SnapshotLayers layers;
  private final SnapshotRows rows;
  private final Path work;

  /**
   * What snapshots stand on.
   *
   * @param nodeId the node's name
   * @param sandboxes whose files are sealed
   * @param environments where snapshots are kept
   * @param quiet what runs in sandboxes
   * @param capacity how much one may hold
   * @param latencies where it is told how long it took to make them
   */
  public record Parts(
      String nodeId,
      Sandboxes sandboxes,
      Environments environments,
      Quiet quiet,
      SnapshotCapacity capacity,
      Latencies latencies) {}

  /** Reads what an earlier run recorded and removes what it left half made; blocks. */
  public Snapshots(Parts parts, Database database, Path dataDirectory) {
    this.parts = parts;
    this.layers = parts.environments().snapshotLayers();
    this.rows = new SnapshotRows(database);
    this.work = dataDirectory.resolve("snapshots");
    try {
      clear(work);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void clear(Path work) throws IOException {
    Files.createDirectories(work);
    try (Stream<Path> left = Files.walk(work)) {
      for (Path entry : left.sorted(Comparator.reverseOrder()).toList()) {
        if (!entry.equals(work)) {
          Files.delete(entry);
        }
      }
    }
  }

  /** Answers the methods of {@code sandgate.v1.Snapshots}. */
  public void route(Routes routes) {
    new SnapshotsService(this).route(routes);
  }

  Snapshot create(CreateSnapshotRequest request, String owner) {
    long begun = System.nanoTime();
    LiveSandbox sandbox = parts.sandboxes().find(request.getSandboxId());
    Blocking.await(parts.sandboxes().settled(sandbox), SETTLE_MILLIS);
    sandbox.backend().require(Capability.DISK_SNAPSHOT);
    Sealing sealing = new Sealing(layers, parts.quiet(), work, sandbox, wanted(request, owner));
    try {
      Snapshot made = sealing.run().toBuilder().setNodeId(parts.nodeId()).build();
      rows.put(made);
      forgetUnneeded();
      parts.latencies().done(Operation.SNAPSHOT, begun);
      parts.latencies().took(Operation.SNAPSHOT_FROZEN, made.getFrozenMillis() * 1_000);
      return made;
    } catch (IOException | RuntimeException e) {
      throw parts.environments().explained(e);
    }
  }

  private Sealing.Wanted wanted(CreateSnapshotRequest request, String owner) {
    EnvironmentName.of("name", request.getName());
    String tag = EnvironmentName.tag(request.getTag());
    return new Sealing.Wanted(
        new Name(request.getName(), tag, request.getReplace(), owner),
        Rules.of(request.getRules(), parts.capacity()),
        request.getAllowRunning());
  }

  /** All of them, oldest first, by keys that no two of any nodes share. */
  NavigableMap<String, Supplier<Snapshot>> all() {
    TreeMap<String, Supplier<Snapshot>> all = new TreeMap<>();
    for (Listed one : layers.all()) {
      rows.find(one.digest())
          .ifPresent(row -> all.put(key(one, row), () -> named(row, one.shown().get())));
    }
    return all;
  }

  private static String key(Listed one, Snapshot row) {
    return "%015d %s@%s %s"
        .formatted(one.createdMillis(), one.key(), one.digest(), row.getNodeId());
  }

  Snapshot require(String reference) {
    Environment environment = layers.require(reference);
    return known(environment).orElseThrow(() -> noSnapshot(reference));
  }

  SnapshotHistory history(String reference) {
    SnapshotHistory.Builder history = SnapshotHistory.newBuilder();
    Optional<Snapshot> next = Optional.of(require(reference));
    while (next.isPresent()) {
      history.addSnapshots(next.get());
      next = rows.find(next.get().getParentDigest());
    }
    return history.build();
  }

  void remove(String reference) {
    require(reference);
    layers.remove(reference);
    forgetUnneeded();
  }

  private void forgetUnneeded() {
    rows.keep(layers::digests);
  }

  /** With the name and users of now. */
  private Optional<Snapshot> known(Environment environment) {
    return rows.find(environment.getDigest()).map(row -> named(row, environment));
  }

  private static Snapshot named(Snapshot row, Environment environment) {
    return row.toBuilder().setEnvironment(environment).build();
  }

  private static SandgateException noSnapshot(String reference) {
    return new SandgateException(
        ErrorCode.NOT_FOUND,
        "reference",
        "reference: " + reference + " is an environment, but no snapshot",
        null);
  }
}
