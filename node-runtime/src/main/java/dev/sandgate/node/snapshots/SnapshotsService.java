// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import dev.sandgate.node.checks.Paging;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.GetSnapshotRequest;
import dev.sandgate.proto.v1.ListSnapshotsRequest;
import dev.sandgate.proto.v1.ListSnapshotsResponse;
import dev.sandgate.proto.v1.RemoveSnapshotRequest;
import dev.sandgate.proto.v1.RemoveSnapshotResponse;
import dev.sandgate.proto.v1.SnapshotsGrpcService;

/**
 * The methods of {@code sandgate.v1.Snapshots}.
 *
 * @param snapshots who does the work
 */
record SnapshotsService(Snapshots snapshots) {

  void route(Routes routes) {
    routes.blockingFor(
        SnapshotsGrpcService.Create, CreateSnapshotRequest.parser(), snapshots::create);
    routes.blocking(SnapshotsGrpcService.List, ListSnapshotsRequest.parser(), this::list);
    routes.blocking(
        SnapshotsGrpcService.Get,
        GetSnapshotRequest.parser(),
        request -> snapshots.require(request.getReference()));
    routes.blocking(
        SnapshotsGrpcService.History,
        GetSnapshotRequest.parser(),
        request -> snapshots.history(request.getReference()));
    routes.blocking(SnapshotsGrpcService.Remove, RemoveSnapshotRequest.parser(), this::remove);
  }

  private ListSnapshotsResponse list(ListSnapshotsRequest request) {
    ListSnapshotsResponse.Builder page = ListSnapshotsResponse.newBuilder();
    String next =
        Paging.of(request.getPageSize(), request.getPageToken())
            .fill(snapshots.all(), page::addSnapshots);
    return page.setNextPageToken(next).build();
  }

  private RemoveSnapshotResponse remove(RemoveSnapshotRequest request) {
    snapshots.remove(request.getReference());
    return RemoveSnapshotResponse.getDefaultInstance();
  }
}
