// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.GetSnapshotRequest;
import dev.sandgate.proto.v1.ListSnapshotsRequest;
import dev.sandgate.proto.v1.ListSnapshotsResponse;
import dev.sandgate.proto.v1.RemoveSnapshotRequest;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotHistory;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;

/**
 * Keeps snapshots: what a sandbox wrote, sealed as an environment that sandboxes are made of. Nothing happens before a Uni is
 * subscribed to; methods may be called from any thread and never block. Failures are SandgateClientException.
 */
public final class Snapshots {

  private static final Duration SEAL_LIMIT = Duration.ofMinutes(45);

  private final Calls calls;

  Snapshots(Calls calls) {
    this.calls = calls;
  }

  /**
   * Seals what a sandbox wrote. Cancelling may leave it made.
   *
   * @param request which sandbox, the name, the rules
   * @return the snapshot; fails with NOT_FOUND, ALREADY_EXISTS for a taken name, FAILED_PRECONDITION while commands run or
   *     when a rule is broken, ROOTFS_UNSAFE, RESOURCE_EXHAUSTED, UNSUPPORTED
   */
  public Uni<Snapshot> create(CreateSnapshotRequest request) {
    return calls.unary(SnapshotsGrpcClient.Create, request, SEAL_LIMIT);
  }

  /**
   * Lists all snapshots.
   *
   * @return the list, oldest first
   */
  public Uni<List<Snapshot>> list() {
    return Pages.all(
        token ->
            calls.unary(
                SnapshotsGrpcClient.List,
                ListSnapshotsRequest.newBuilder().setPageToken(token).build()),
        ListSnapshotsResponse::getSnapshotsList,
        ListSnapshotsResponse::getNextPageToken);
  }

  /**
   * Shows one.
   *
   * @param reference {@code name}, {@code name:tag} or {@code name@sha256:…}
   * @return the snapshot; fails with NOT_FOUND
   */
  public Uni<Snapshot> get(String reference) {
    return calls.unary(SnapshotsGrpcClient.Get, named(reference));
  }

  /**
   * Shows a snapshot and those it stands on.
   *
   * @param reference as in {@link #get}
   * @return youngest first; fails with NOT_FOUND
   */
  public Uni<List<Snapshot>> history(String reference) {
    return calls
        .unary(SnapshotsGrpcClient.History, named(reference))
        .map(SnapshotHistory::getSnapshotsList);
  }

  /**
   * Removes a name, and the layer when nothing needs it any more.
   *
   * @param reference as in {@link #get}
   * @return completes when it is gone; fails with NOT_FOUND, or FAILED_PRECONDITION naming the sandboxes that use it or the
   *     snapshots that stand on it
   */
  public Uni<Void> remove(String reference) {
    RemoveSnapshotRequest request =
        RemoveSnapshotRequest.newBuilder().setReference(reference).build();
    return calls.unary(SnapshotsGrpcClient.Remove, request, Duration.ZERO).replaceWithVoid();
  }

  private static GetSnapshotRequest named(String reference) {
    return GetSnapshotRequest.newBuilder().setReference(reference).build();
  }
}
