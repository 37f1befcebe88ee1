// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Timestamp;
import dev.sandgate.gateway.service.Paged.Page;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.GetSnapshotRequest;
import dev.sandgate.proto.v1.ListSnapshotsRequest;
import dev.sandgate.proto.v1.ListSnapshotsResponse;
import dev.sandgate.proto.v1.RemoveSnapshotRequest;
import dev.sandgate.proto.v1.RemoveSnapshotResponse;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotHistory;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import io.vertx.core.Future;
import io.vertx.grpc.common.ServiceMethod;
import java.util.Comparator;
import java.util.List;

/** Snapshots of all nodes together; each is on the node of the sandbox that wrote it. */
final class SnapshotCalls {

  private static final Paged<Snapshot> PAGED = new Paged<>(SnapshotCalls::key, (one, _) -> one);

  private final Fleet fleet;
  private final long timeoutMillis;

  SnapshotCalls(Fleet fleet, long timeoutMillis) {
    this.fleet = fleet;
    this.timeoutMillis = timeoutMillis;
  }

  /** One page of what the nodes that answer have, oldest first. */
  Future<ListSnapshotsResponse> list(ListSnapshotsRequest request, Caller caller) {
    return ask(SnapshotsGrpcClient.List, request, caller)
        .map(
            answers -> {
              List<Page<Snapshot>> pages =
                  EnvironmentCalls.requireSome(answers).stream()
                      .flatMap(answer -> answer.value().stream())
                      .map(page -> new Page<>(page.getSnapshotsList(), page.getNextPageToken()))
                      .toList();
              Page<Snapshot> merged = PAGED.merge(pages, request.getPageSize());
              return ListSnapshotsResponse.newBuilder()
                  .addAllSnapshots(merged.items())
                  .setNextPageToken(merged.next())
                  .build();
            });
  }

  // As nodes order theirs.
  private static String key(Snapshot snapshot) {
    Environment environment = snapshot.getEnvironment();
    Timestamp created = environment.getCreatedAt();
    return "%015d %s:%s@%s %s"
        .formatted(
            created.getSeconds() * 1_000 + created.getNanos() / 1_000_000,
            environment.getName(),
            environment.getTag(),
            environment.getDigest(),
            snapshot.getNodeId());
  }

  private static long created(Snapshot snapshot) {
    return snapshot.getCreatedAt().getSeconds();
  }

  /** The youngest, should several nodes have one of the name. */
  Future<Snapshot> get(GetSnapshotRequest request, Caller caller) {
    return ask(SnapshotsGrpcClient.Get, request, caller)
        .map(
            answers ->
                EnvironmentCalls.requireSome(answers).stream()
                    .flatMap(answer -> answer.value().stream())
                    .max(Comparator.comparingLong(SnapshotCalls::created))
                    .orElseThrow(EnvironmentCalls::noNodes));
  }

  /** Of the youngest as well. */
  Future<SnapshotHistory> history(GetSnapshotRequest request, Caller caller) {
    return ask(SnapshotsGrpcClient.History, request, caller)
        .map(
            answers ->
                EnvironmentCalls.requireSome(answers).stream()
                    .flatMap(answer -> answer.value().stream())
                    .max(Comparator.comparingLong(line -> created(line.getSnapshots(0))))
                    .orElseThrow(EnvironmentCalls::noNodes));
  }

  /** Removes it everywhere; a node that never had it is no error unless none had. */
  Future<RemoveSnapshotResponse> remove(RemoveSnapshotRequest request, Caller caller) {
    return ask(SnapshotsGrpcClient.Remove, request, caller).map(NodeReport::removed);
  }

  private <Q extends MessageLite, A extends MessageLite> Future<List<Fleet.Answer<A>>> ask(
      ServiceMethod<A, Q> method, Q request, Caller caller) {
    return Fleet.askAll(fleet.all(), method, _ -> request, new Fleet.Asking(caller, timeoutMillis));
  }
}
