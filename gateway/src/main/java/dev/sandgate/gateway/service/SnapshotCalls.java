// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.MessageLite;
import dev.sandgate.gateway.failure.Code;
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

  private final Fleet fleet;
  private final long timeoutMillis;

  SnapshotCalls(Fleet fleet, long timeoutMillis) {
    this.fleet = fleet;
    this.timeoutMillis = timeoutMillis;
  }

  /** What the nodes that answer have, oldest first. */
  Future<ListSnapshotsResponse> list(ListSnapshotsRequest request, Caller caller) {
    return ask(SnapshotsGrpcClient.List, request, caller)
        .map(
            answers ->
                ListSnapshotsResponse.newBuilder()
                    .addAllSnapshots(
                        EnvironmentCalls.requireSome(answers).stream()
                            .flatMap(answer -> answer.value().stream())
                            .flatMap(list -> list.getSnapshotsList().stream())
                            .sorted(Comparator.comparingLong(SnapshotCalls::created))
                            .toList())
                    .build());
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
    return ask(SnapshotsGrpcClient.Remove, request, caller)
        .map(
            answers -> {
              for (Fleet.Answer<RemoveSnapshotResponse> answer : answers) {
                if (!answer.succeeded() && !answer.failedWith(Code.NOT_FOUND)) {
                  throw answer.failure().getFirst();
                }
              }
              return EnvironmentCalls.requireSome(answers).getFirst().value().getFirst();
            });
  }

  private <Q extends MessageLite, A extends MessageLite> Future<List<Fleet.Answer<A>>> ask(
      ServiceMethod<A, Q> method, Q request, Caller caller) {
    return Fleet.askAll(fleet.all(), method, _ -> request, new Fleet.Asking(caller, timeoutMillis));
  }
}
